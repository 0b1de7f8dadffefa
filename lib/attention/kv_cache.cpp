#include "attention/kv_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace attnlab {
namespace {

// Rows of a cache and, of int8, their scales.
struct CacheRows {
  const View& view;
  float* scales;
  float& scale(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return scales[(b * view.shape[1] + h) * view.shape[2] + i];
  }
};

// Quantizes rows of float32, or copies rows of int8, to the tokens of `to` from `first` on.
void add_int8_rows(const ConstView& from, const RowScales& scales, const CacheRows& to,
                   std::int64_t first) {
  for (std::int64_t b = 0; b < from.shape[0]; ++b) {
    for (std::int64_t h = 0; h < from.shape[1]; ++h) {
      for (std::int64_t i = 0; i < from.shape[2]; ++i) {
        auto* const row = to.view.row_as<std::int8_t>(b, h, first + i);
        float& scale = to.scale(b, h, first + i);
        if (from.dtype == Dtype::kF32) {
          scale = quantize_row(from.row_as<float>(b, h, i), from.shape[3], row);
        } else {
          std::copy_n(from.row_as<std::int8_t>(b, h, i), from.shape[3], row);
          scale = scales.at(b, h, i);
        }
      }
    }
  }
}

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

// All rows so far, without the cache.
std::int64_t recomputed_bytes(const Problem& p) {
  return p.batch * p.heads * p.nq * p.head_dim_v * 4;
}

// Room for every step: workspaces need not grow with the number of tokens everywhere.
std::int64_t step_workspace(const Kernel& kernel, const Problem& problem, Generation::Cache cache,
                            int threads) {
  std::int64_t out = 0;
  for (std::int64_t tokens = 1; tokens <= problem.nq; ++tokens) {
    out =
        std::max(out, kernel.workspace(Generation::step_problem(problem, tokens, cache), threads));
  }
  return out;
}

}  // namespace

std::int64_t KvCache::bytes_of(std::int64_t batch, std::int64_t kv_heads, std::int64_t capacity,
                               std::int64_t head_dim, std::int64_t head_dim_v, Dtype dtype) {
  const std::int64_t keys = batch * kv_heads * capacity, element = dtype_bytes(dtype);
  const std::int64_t rows = aligned_bytes(keys * head_dim * element) + keys * head_dim_v * element;
  return dtype == Dtype::kInt8 ? aligned_bytes(rows) + 2 * keys * 4 : rows;
}

KvCache::KvCache(std::int64_t batch, std::int64_t kv_heads, std::int64_t capacity,
                 std::int64_t head_dim, std::int64_t head_dim_v, Dtype dtype)
    : buffer_(bytes_of(batch, kv_heads, capacity, head_dim, head_dim_v, dtype)) {
  const Index4 k_shape{batch, kv_heads, capacity, head_dim};
  const Index4 v_shape{batch, kv_heads, capacity, head_dim_v};
  const std::int64_t k_bytes = aligned_bytes(element_count(k_shape) * dtype_bytes(dtype));
  k_ = View(buffer_.data(), dtype, k_shape, row_major_strides(k_shape));
  v_ = View(buffer_.data() + k_bytes, dtype, v_shape, row_major_strides(v_shape));
  if (dtype != Dtype::kInt8) return;
  const std::int64_t keys = batch * kv_heads * capacity;
  v_scales_ = buffer_.as<float>() + (buffer_.bytes() / 4 - keys);
  k_scales_ = v_scales_ - keys;
}

void KvCache::append(const ConstView& k, const ConstView& v, const RowScales& k_scales,
                     const RowScales& v_scales) {
  const std::int64_t added = k.shape[2];
  for (const auto& [name, view, scales, cache] :
       {std::tuple{"k", &k, &k_scales, &k_}, std::tuple{"v", &v, &v_scales, &v_}}) {
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
    if (view->dtype == Dtype::kInt8 && scales->data == nullptr) {
      throw UserError("KV-cache", fmt::format("the scales of {} are missing", name));
    }
  }
  if (size_ + added > capacity()) {
    throw UserError("KV-cache", fmt::format("{} tokens do not fit beside {} in room for {}", added,
                                            size_, capacity()));
  }
  if (k_.dtype == Dtype::kInt8) {
    add_int8_rows(k, k_scales, {k_, k_scales_}, size_);
    add_int8_rows(v, v_scales, {v_, v_scales_}, size_);
  } else {
    copy_rows(k, k_, size_);
    copy_rows(v, v_, size_);
  }
  size_ += added;
}

std::string Generation::why_not(const Kernel& kernel, const Problem& problem, Cache cache) {
  if (cache == Cache::kYes && !has_softmax(kernel.op)) {
    return "it sums over all keys, cached or not: generate without a cache";
  }
  if (cache == Cache::kYes && kernel.op == Operator::kBigBird) {
    return "its random blocks belong to queries of the whole sequence: generate without a cache";
  }
  std::string reason;
  return kernel.supports(step_problem(problem, problem.nq, cache), &reason) ? "" : reason;
}

Problem Generation::step_problem(const Problem& problem, std::int64_t tokens, Cache cache) {
  Problem p = problem;
  p.nk = tokens;
  p.nq = cache == Cache::kYes ? 1 : tokens;
  p.causal = Causal::kBottomRight;
  // The pattern's default depends on the number of keys: that of the whole problem stays.
  p.stride = problem.effective_stride();
  return p;
}

std::int64_t Generation::required_bytes(const Kernel& kernel, const Problem& problem, Cache cache,
                                        int threads) {
  const Problem& p = problem;
  const std::int64_t beside =
      cache == Cache::kYes
          ? KvCache::bytes_of(p.batch, p.kv_heads, p.nk, p.head_dim, p.head_dim_v, p.dtype)
          : recomputed_bytes(p);
  return step_workspace(kernel, p, cache, threads) + beside;
}

Generation::Generation(const Kernel& kernel, const Problem& problem, Cache cache, int threads)
    : kernel_(kernel), problem_(problem), threads_(threads) {
  const Problem& p = problem;
  if (p.nq != p.nk || p.causal == Causal::kNone || p.mask.kind != MaskKind::kNone) {
    throw UserError("generation", "the problem must be causal, with nq = nk and no mask");
  }
  const std::string reason = why_not(kernel, problem, cache);
  if (!reason.empty()) throw UserError(fmt::format("kernel {}", kernel.name), reason);
  if (cache == Cache::kYes) {
    cache_.emplace(p.batch, p.kv_heads, p.nk, p.head_dim, p.head_dim_v, p.dtype);
  } else {
    recomputed_ = AlignedBuffer(recomputed_bytes(p));
  }
  workspace_ = AlignedBuffer(step_workspace(kernel, p, cache, threads));
}

void Generation::step(const Operands& operands, ThreadTeam& team) {
  ATTNLAB_CHECK(team.threads() == threads_ && size_ < problem_.nq);
  const Problem p = step_problem(problem_, size_ + 1, cache_kind());
  Operands step;
  step.o = operands.o.rows(size_, 1);
  if (cache_) {
    cache_->append(operands.k.rows(size_, 1), operands.v.rows(size_, 1),
                   operands.k_scales.from(size_), operands.v_scales.from(size_));
    step.q = operands.q.rows(size_, 1);
    step.k = cache_->k();
    step.v = cache_->v();
    step.k_scales = cache_->k_scales();
    step.v_scales = cache_->v_scales();
  } else {
    step.q = operands.q.rows(0, size_ + 1);
    step.k = operands.k.rows(0, size_ + 1);
    step.v = operands.v.rows(0, size_ + 1);
    step.k_scales = operands.k_scales;
    step.v_scales = operands.v_scales;
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
