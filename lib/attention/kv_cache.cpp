#include "attention/kv_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace attnlab {
namespace {

// Copies rows of `from` to the tokens of `to` from `first` on.
void copy_rows(const ConstView& from, const View& to, std::int64_t first) {
  const auto row_bytes = static_cast<std::size_t>(from.shape[3] * dtype_bytes(to.dtype));
  for (std::int64_t b = 0; b < from.shape[0]; ++b) {
    for (std::int64_t h = 0; h < from.shape[1]; ++h) {
      for (std::int64_t i = 0; i < from.shape[2]; ++i) {
        std::byte* const row = to.row(b, h, first + i);
        if (from.dtype == to.dtype) {
          std::memcpy(row, from.row(b, h, i), row_bytes);
          continue;
        }
        for (std::int64_t c = 0; c < from.shape[3]; ++c) {
          store_element(row, to.dtype, c, from.at(b, h, i, c));
        }
      }
    }
  }
}

}  // namespace

KvCache::KvCache(std::int64_t batch, std::int64_t kv_heads, std::int64_t capacity,
                 std::int64_t head_dim, std::int64_t head_dim_v, Dtype dtype) {
  const Index4 k_shape{batch, kv_heads, capacity, head_dim};
  const Index4 v_shape{batch, kv_heads, capacity, head_dim_v};
  const std::int64_t k_bytes = aligned_bytes(element_count(k_shape) * dtype_bytes(dtype));
  buffer_ = AlignedBuffer(k_bytes + element_count(v_shape) * dtype_bytes(dtype));
  k_ = View(buffer_.data(), dtype, k_shape, row_major_strides(k_shape));
  v_ = View(buffer_.data() + k_bytes, dtype, v_shape, row_major_strides(v_shape));
}

void KvCache::append(const ConstView& k, const ConstView& v) {
  const std::int64_t added = k.shape[2];
  for (const auto& [name, view, cache] : {std::tuple{"k", &k, &k_}, std::tuple{"v", &v, &v_}}) {
    Index4 expected = cache->shape;
    expected[2] = added;
    if (view->shape != expected) {
      throw UserError("KV-cache",
                      fmt::format("{} has shape {}, not {}", name, view->shape, expected));
    }
    if (view->dtype != cache->dtype && view->dtype != Dtype::kF32) {
      throw UserError("KV-cache", fmt::format("{} holds {}, not f32 or {}", name,
                                              dtype_name(view->dtype), dtype_name(cache->dtype)));
    }
  }
  if (size_ + added > capacity()) {
    throw UserError("KV-cache", fmt::format("{} tokens do not fit beside {} in room for {}", added,
                                            size_, capacity()));
  }
  copy_rows(k, k_, size_);
  copy_rows(v, v_, size_);
  size_ += added;
}

Generation::Generation(const Kernel& kernel, const Problem& problem, Cache cache, int threads)
    : kernel_(kernel), problem_(problem), threads_(threads) {
  const Problem& p = problem;
  if (p.nq != p.nk || p.causal == Causal::kNone || p.mask.kind != MaskKind::kNone) {
    throw UserError("generation", "the problem must be causal, with nq = nk and no mask");
  }
  if (cache == Cache::kYes) {
    const std::string place = fmt::format("kernel {}", kernel.name);
    if (!has_softmax(kernel.op)) {
      throw UserError(place, "it sums over all keys, cached or not: generate without a cache");
    }
    if (kernel.op == Operator::kBigBird) {
      throw UserError(place,
                      "its random blocks belong to queries of the whole sequence: generate "
                      "without a cache");
    }
    cache_.emplace(p.batch, p.kv_heads, p.nk, p.head_dim, p.head_dim_v, p.dtype);
  } else {
    recomputed_ = AlignedBuffer(p.batch * p.heads * p.nq * p.head_dim_v * 4);
  }
  std::string why_not;
  if (!kernel.supports(step_problem(p.nq), &why_not)) {
    throw UserError(fmt::format("kernel {}", kernel.name), why_not);
  }
  // Room for every step: workspaces need not grow with the number of tokens everywhere.
  std::int64_t bytes = 0;
  for (std::int64_t tokens = 1; tokens <= p.nq; ++tokens) {
    bytes = std::max(bytes, kernel.workspace(step_problem(tokens), threads));
  }
  workspace_ = AlignedBuffer(bytes);
}

Problem Generation::step_problem(std::int64_t tokens) const {
  Problem p = problem_;
  p.nk = tokens;
  p.nq = cache_ ? 1 : tokens;
  p.causal = Causal::kBottomRight;
  // The pattern's default depends on the number of keys: that of the whole problem stays.
  p.stride = problem_.effective_stride();
  return p;
}

void Generation::step(const Operands& operands, ThreadTeam& team) {
  ATTNLAB_CHECK(team.threads() == threads_ && size_ < problem_.nq);
  const Problem p = step_problem(size_ + 1);
  Operands step;
  step.o = operands.o.rows(size_, 1);
  if (cache_) {
    cache_->append(operands.k.rows(size_, 1), operands.v.rows(size_, 1));
    step.q = operands.q.rows(size_, 1);
    step.k = cache_->k();
    step.v = cache_->v();
  } else {
    step.q = operands.q.rows(0, size_ + 1);
    step.k = operands.k.rows(0, size_ + 1);
    step.v = operands.v.rows(0, size_ + 1);
    step.o = View(recomputed_.as<float>(), {p.batch, p.heads, p.nq, p.head_dim_v});
  }
  if (kernel_.prepare) kernel_.prepare(p, workspace_.span(), threads_);
  kernel_.run(p, step, workspace_.span(), team);
  if (!cache_) copy_rows(ConstView(step.o).rows(size_, 1), operands.o, size_);
  ++size_;
}

void Generation::restart() {
  size_ = 0;
  if (cache_) cache_->clear();
}

std::int64_t Generation::workspace_bytes() const {
  return workspace_.bytes() + recomputed_.bytes() + (cache_ ? cache_->bytes() : 0);
}

}  // namespace attnlab
