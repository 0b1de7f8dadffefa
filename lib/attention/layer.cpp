#include "attention/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "attention/project.h"
#include "attention/simd/row_ops.h"
#include "base/check.h"
#include "base/error.h"
#include "cost/count.h"
#include "machine/denormals.h"
#include "tensor/blas.h"

namespace attnlab {
namespace {

constexpr auto kEpsilon = static_cast<float>(kNormEpsilon);

using In = Matrix<const float>;
using Out = Matrix<float>;

// Calls body(first row, end row) for chunks of rows.
template <class Body>
void each_rows(std::int64_t rows, ThreadTeam& team, Body&& body) {
  constexpr std::int64_t kRows = 64;
  team.run((rows + kRows - 1) / kRows, [&](std::int64_t task, int) {
    const FlushDenormals flush;
    body(task * kRows, std::min((task + 1) * kRows, rows));
  });
}

struct Memory {
  float *q, *k, *v, *heads, *normed, *residual, *ffn;

  static Memory carve(const LayerProblem& shape, Carver& carver) {
    const Problem& p = shape.attention;
    const std::int64_t nq = p.batch * p.nq, nk = p.batch * p.nk;
    const std::int64_t block_rows = shape.ffn > 0 ? nq : 0;
    return {carver.take<float>(nq * p.heads * p.head_dim),
            carver.take<float>(nk * p.kv_heads * p.head_dim),
            carver.take<float>(nk * p.kv_heads * p.head_dim_v),
            carver.take<float>(nq * p.heads * p.head_dim_v),
            carver.take<float>(block_rows * shape.d_model),
            carver.take<float>(block_rows * shape.d_model),
            carver.take<float>(block_rows * shape.ffn)};
  }
};

void check_shape(const LayerProblem& shape) {
  const Problem& p = shape.attention;
  const auto refuse = [](std::string_view problem) {
    throw UserError("layer", std::string(problem));
  };
  if (shape.d_model < 1 || shape.ffn < 0) refuse("sizes must be at least 1");
  if (p.dtype != Dtype::kF32) refuse("layers are computed in f32");
  if (shape.ffn > 0 && p.nq != p.nk) refuse("a block has as many queries as keys");
  for (const std::int64_t size : {shape.d_model, shape.ffn, p.heads * p.head_dim,
                                  p.heads * p.head_dim_v, p.batch * p.nq, p.batch * p.nk}) {
    if (size > kBlasMax) refuse("a size passes what BLAS takes, 2^31");
  }
}

}  // namespace

Layer::Layer(const Kernel& kernel, const LayerProblem& shape, int threads)
    : shape_(shape), attention_(kernel, shape.attention, threads) {
  check_shape(shape);
  Carver sizing;
  Memory::carve(shape, sizing);
  buffer_ = AlignedBuffer(sizing.used());
  Carver carver(buffer_.span());
  const Memory memory = Memory::carve(shape, carver);
  q_ = memory.q;
  k_ = memory.k;
  v_ = memory.v;
  heads_ = memory.heads;
  normed_ = memory.normed;
  residual_ = memory.residual;
  ffn_ = memory.ffn;
  use_one_blas_thread();
}

void Layer::multi_head(const LayerWeights& weights, const float* x, const float* context,
                       float* out, float beta, ThreadTeam& team, const MaskView& mask) const {
  const Problem& p = shape_.attention;
  const std::int64_t model = shape_.d_model;
  const std::int64_t nq = p.batch * p.nq, nk = p.batch * p.nk;
  const auto projection = [&](const float* rows, std::int64_t n, const float* w, std::int64_t width,
                              float* to) {
    project(In{rows, n, model, model}, In{w, model, width, width}, 0.0f, Out{to, n, width, width},
            team);
  };
  projection(x, nq, weights.w_q, p.heads * p.head_dim, q_);
  projection(context, nk, weights.w_k, p.kv_heads * p.head_dim, k_);
  projection(context, nk, weights.w_v, p.kv_heads * p.head_dim_v, v_);
  Operands operands;
  operands.q = bnhd_view(q_, p.batch, p.heads, p.nq, p.head_dim);
  operands.k = bnhd_view(k_, p.batch, p.kv_heads, p.nk, p.head_dim);
  operands.v = bnhd_view(v_, p.batch, p.kv_heads, p.nk, p.head_dim_v);
  operands.o = bnhd_view(heads_, p.batch, p.heads, p.nq, p.head_dim_v);
  operands.mask = mask;
  attention_.run(operands, team);
  const std::int64_t width = p.heads * p.head_dim_v;
  project(In{heads_, nq, width, width}, In{weights.w_o, width, model, model}, beta,
          Out{out, nq, model, model}, team);
}

void Layer::run(const LayerWeights& weights, const float* x, const float* context, float* out,
                ThreadTeam& team, const MaskView& mask) const {
  if (shape_.ffn == 0) return multi_head(weights, x, context, out, 0.0f, team, mask);
  ATTNLAB_CHECK(x == context);
  const std::int64_t model = shape_.d_model, ffn = shape_.ffn;
  const std::int64_t n = shape_.attention.batch * shape_.attention.nq;
  each_rows(n, team, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      layer_norm_row(x + i * model, model, weights.norm1_gain, weights.norm1_bias, kEpsilon,
                     normed_ + i * model);
    }
    std::copy(x + first * model, x + end * model, residual_ + first * model);
  });
  multi_head(weights, normed_, normed_, residual_, 1.0f, team, mask);
  each_rows(n, team, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      const float* const row = residual_ + i * model;
      layer_norm_row(row, model, weights.norm2_gain, weights.norm2_bias, kEpsilon,
                     normed_ + i * model);
      std::copy_n(weights.b_1, ffn, ffn_ + i * ffn);
      for (std::int64_t c = 0; c < model; ++c) out[i * model + c] = row[c] + weights.b_2[c];
    }
  });
  project(In{normed_, n, model, model}, In{weights.w_1, model, ffn, ffn}, 1.0f,
          Out{ffn_, n, ffn, ffn}, team);
  each_rows(n, team, [&](std::int64_t first, std::int64_t end) {
    gelu_row(ffn_ + first * ffn, (end - first) * ffn);
  });
  project(In{ffn_, n, ffn, ffn}, In{weights.w_2, ffn, model, model}, 1.0f,
          Out{out, n, model, model}, team);
}

std::int64_t layer_workspace(const Kernel& kernel, const LayerProblem& shape, int threads) {
  Carver carver;
  Memory::carve(shape, carver);
  return carver.used() + kernel.workspace(shape.attention, threads);
}

std::optional<std::int64_t> layer_multiply_adds(const LayerProblem& shape, Operator op) {
  const Problem& p = shape.attention;
  const auto attention = multiply_adds(p, op);
  if (!attention) return std::nullopt;
  const Count rows_q = Count(p.batch) * p.nq * shape.d_model;
  const Count rows_k = Count(p.batch) * p.nk * shape.d_model;
  const Count sizes = Count(p.head_dim) + p.head_dim_v;
  return (Count(*attention) + rows_q * p.heads * sizes + rows_k * p.kv_heads * sizes +
          rows_q * shape.ffn * 2)
      .value();
}

}  // namespace attnlab
