// Dense attention in three steps with every score in memory: scores = Q K^T by BLAS, softmax of
// each row, O = weights V by BLAS. The baseline that fused kernels are compared with.
// Vaswani et al., Attention Is All You Need, 2017, section 3.2.1.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// scores [Nq, Nk] of one head for each thread, or of one head at a time for the whole team when
// there are fewer heads than threads. Half types are widened into a float32 copy of a head's keys
// and values. Rows are handed to BLAS in fixed chunks, so that the bits are the same for any team.
#include <algorithm>

#include "attention/kernels/add_kernels.h"
#include "attention/kernels/supports.h"
#include "attention/scaling.h"
#include "attention/simd/row_ops.h"
#include "cost/count.h"
#include "machine/denormals.h"
#include "tensor/blas.h"

namespace attnlab {
namespace {

constexpr std::int64_t kChunkRows = 512;

constexpr StageSet kNaiveStages(Stage::kScores, Stage::kSoftmax, Stage::kSum, Stage::kConversion);

constexpr std::int64_t kMaxScores = std::int64_t{1} << 50;

std::int64_t chunks_of(std::int64_t n) { return (n + kChunkRows - 1) / kChunkRows; }

// One head's share of the workspace.
struct HeadMemory {
  float* scores;  // [Nq, padded(Nk)]
  float* k;       // [Nk, D] and
  float* v;       // [Nk, Dv]: widened copies, absent for f32

  static HeadMemory carve(const Problem& p, Carver& carver) {
    const std::int64_t copied = p.dtype == Dtype::kF32 ? 0 : p.nk;
    return {.scores = carver.take<float>(p.nq * padded(p.nk)),
            .k = carver.take<float>(copied * p.head_dim),
            .v = carver.take<float>(copied * p.head_dim_v)};
  }
};

struct Workspace {
  std::int64_t head_bytes, query_bytes;
  int heads, threads;

  static Workspace layout(const Problem& problem, int threads) {
    Carver head, query;
    HeadMemory::carve(problem, head);
    query.take<float>(std::min(problem.nq, kChunkRows) * problem.head_dim);
    const bool one_head_a_thread = problem.batch * problem.heads >= threads;
    return {head.used(), query.used(), one_head_a_thread ? threads : 1, threads};
  }
  std::int64_t bytes() const { return head_bytes * heads + query_bytes * threads; }
};

// The steps for one head, each for one chunk of rows.
class Head {
 public:
  Head(const Problem& problem, const Operands& operands, std::int64_t b, std::int64_t h,
       std::span<std::byte> memory)
      : p_(problem), operands_(operands), b_(b), h_(h), kv_(problem.kv_head(h)) {
    Carver carver(memory);
    memory_ = HeadMemory::carve(problem, carver);
  }

  void widen(std::int64_t chunk) const {
    if (p_.dtype == Dtype::kF32 || p_.left_out.has(Stage::kConversion)) return;
    const std::int64_t last = std::min((chunk + 1) * kChunkRows, p_.nk);
    for (std::int64_t j = chunk * kChunkRows; j < last; ++j) {
      widen_row(operands_.k.row(b_, kv_, j), p_.dtype, p_.head_dim, 1, memory_.k + j * p_.head_dim);
      widen_row(operands_.v.row(b_, kv_, j), p_.dtype, p_.head_dim_v, 1,
                memory_.v + j * p_.head_dim_v);
    }
  }

  void scores(std::int64_t chunk, float* query) const {
    const Rows rows = rows_of(chunk);
    if (rows.keys == 0 || p_.left_out.has(Stage::kScores)) return;
    const ScoreScale scale = score_scale(p_);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      widen_row(operands_.q.row(b_, h_, rows.first + r), p_.dtype, p_.head_dim,
                static_cast<float>(scale.power), query + r * p_.head_dim);
    }
    matmul(static_cast<float>(scale.rest),
           Matrix<const float>{query, rows.count, p_.head_dim, p_.head_dim}, Transpose::kYes,
           matrix(operands_.k, memory_.k, rows.keys), 0.0f,
           Matrix<float>{row(rows.first), rows.count, rows.keys, padded(p_.nk)});
  }

  void softmax(std::int64_t chunk) const {
    if (p_.left_out.has(Stage::kSoftmax)) return;
    const Rows rows = rows_of(chunk);
    const float factor = exponent_factor(p_, 1);
    for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
      float* const scores = row(i);
      for (std::int64_t j = 0; j < rows.keys; ++j) {
        if (j >= keys_seen(i)) {
          scores[j] = kHidden;
        } else if (p_.mask.kind != MaskKind::kNone) {
          const float bias = operands_.mask.bias(b_, h_, i, j);
          scores[j] = bias == kHidden ? kHidden : scores[j] + bias;
        }
      }
      softmax_row(scores, rows.keys, factor, p_.temperature == 0);
    }
  }

  void weighted_sum(std::int64_t chunk) const {
    if (p_.left_out.has(Stage::kSum)) return;
    const Rows rows = rows_of(chunk);
    const Matrix<const float> v = matrix(operands_.v, memory_.v, rows.keys);
    if (rows.keys > 0 && !may_leak(v)) {
      const Matrix<const float> weights{row(rows.first), rows.count, rows.keys, padded(p_.nk)};
      matmul(1.0f, weights, Transpose::kNo, v, 0.0f,
             Matrix<float>{out(rows.first), rows.count, p_.head_dim_v, operands_.o.stride[2]});
      return;
    }
    for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
      std::fill_n(out(i), p_.head_dim_v, 0.0f);
      for (std::int64_t j = 0; j < keys_seen(i); ++j) {
        if (operands_.mask.hides(b_, h_, i, j)) continue;
        const float weight = row(i)[j];
        for (std::int64_t c = 0; c < p_.head_dim_v; ++c) {
          out(i)[c] += weight * v.data[j * v.stride + c];
        }
      }
    }
  }

 private:
  struct Rows {
    std::int64_t first, count;
    std::int64_t keys;  // that the last of them sees
  };
  static constexpr float kHidden = -std::numeric_limits<float>::infinity();

  Rows rows_of(std::int64_t chunk) const {
    const std::int64_t first = chunk * kChunkRows;
    const std::int64_t count = std::min(kChunkRows, p_.nq - first);
    return {first, count, keys_seen(first + count - 1)};
  }
  std::int64_t keys_seen(std::int64_t i) const {
    if (p_.causal == Causal::kNone) return p_.nk;
    return std::clamp<std::int64_t>(i + p_.shift() + 1, 0, p_.nk);
  }
  float* row(std::int64_t i) const { return memory_.scores + i * padded(p_.nk); }
  float* out(std::int64_t i) const { return operands_.o.row_as<float>(b_, h_, i); }

  Matrix<const float> matrix(const ConstView& view, const float* widened, std::int64_t keys) const {
    if (p_.dtype != Dtype::kF32) return {widened, keys, view.shape[3], view.shape[3]};
    // A single row may have any stride: BLAS wants at least the row's length.
    return {view.row_as<float>(b_, kv_, 0), keys, view.shape[3],
            std::max(view.stride[2], view.shape[3])};
  }

  // BLAS multiplies hidden values by zero weights: with a NaN or Inf among them that is a NaN.
  bool may_leak(const Matrix<const float>& v) const {
    if (p_.causal == Causal::kNone && p_.mask.kind == MaskKind::kNone) return false;
    for (std::int64_t j = 0; j < v.rows; ++j) {
      if (has_nonfinite(v.data + j * v.stride, v.cols)) return true;
    }
    return false;
  }

  const Problem& p_;
  const Operands& operands_;
  std::int64_t b_, h_, kv_;
  HeadMemory memory_;
};

void run(const Problem& problem, const Operands& operands, std::span<std::byte> workspace,
         ThreadTeam& team) {
  const Workspace layout = Workspace::layout(problem, team.threads());
  const std::int64_t query_chunks = chunks_of(problem.nq), key_chunks = chunks_of(problem.nk);
  const auto head_memory = [&](std::int64_t slot) {
    return workspace.subspan(static_cast<std::size_t>(layout.head_bytes * slot),
                             static_cast<std::size_t>(layout.head_bytes));
  };
  const auto query_memory = [&](std::int64_t worker) {
    return reinterpret_cast<float*>(workspace.data() + layout.head_bytes * layout.heads +
                                    layout.query_bytes * worker);
  };
  const std::int64_t heads = problem.batch * problem.heads;
  const auto head_at = [&](std::int64_t index, std::int64_t slot) {
    return Head(problem, operands, index / problem.heads, index % problem.heads, head_memory(slot));
  };
  if (layout.heads > 1 || layout.threads == 1) {
    team.run(heads, [&](std::int64_t task, int worker) {
      const FlushDenormals flush;
      const Head head = head_at(task, worker);
      for (std::int64_t c = 0; c < key_chunks; ++c) head.widen(c);
      for (std::int64_t c = 0; c < query_chunks; ++c) head.scores(c, query_memory(worker));
      for (std::int64_t c = 0; c < query_chunks; ++c) head.softmax(c);
      for (std::int64_t c = 0; c < query_chunks; ++c) head.weighted_sum(c);
    });
    return;
  }
  for (std::int64_t index = 0; index < heads; ++index) {
    const Head head = head_at(index, 0);
    const auto each = [&](std::int64_t chunks, auto step) {
      team.run(chunks, [&](std::int64_t chunk, int worker) {
        const FlushDenormals flush;
        step(chunk, worker);
      });
    };
    each(key_chunks, [&](std::int64_t c, int) { head.widen(c); });
    each(query_chunks, [&](std::int64_t c, int worker) { head.scores(c, query_memory(worker)); });
    each(query_chunks, [&](std::int64_t c, int) { head.softmax(c); });
    each(query_chunks, [&](std::int64_t c, int) { head.weighted_sum(c); });
  }
}

bool supports(const Problem& problem, std::string* why_not) {
  if (!supports_operator(problem, Operator::kDense, why_not, {.stages = kNaiveStages}))
    return false;
  if (problem.nk > kBlasMax - kRowPadding || problem.head_dim > kBlasMax ||
      problem.head_dim_v > kBlasMax) {
    return refuse(why_not, "a size passes what BLAS takes, 2^31");
  }
  const auto scores = (Count(problem.nq) * padded(problem.nk)).value();
  if (!scores || *scores >= kMaxScores) return refuse(why_not, "one head's scores pass 2^50");
  return true;
}

}  // namespace

void add_naive_kernels(std::vector<Kernel>& out) {
  out.push_back(
      {.name = "naive",
       .isa = Isa::kBlas,
       .op = Operator::kDense,
       .summary = "three steps through BLAS, all scores in memory",
       .source = "Vaswani et al. 2017, section 3.2.1",
       .memory = "all scores of a head, Nq x Nk, for each thread",
       .stages = kNaiveStages,
       .supports = supports,
       .workspace = [](const Problem& problem,
                       int threads) { return Workspace::layout(problem, threads).bytes(); },
       .prepare = [](const Problem&, std::span<std::byte>, int) { use_one_blas_thread(); },
       .run = run});
}

}  // namespace attnlab
