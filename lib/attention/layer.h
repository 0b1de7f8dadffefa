// The layers around an attention kernel: multi-head attention (scope "module") and the pre-norm
// Transformer block (scope "block").
//
//   multi-head  out = attention(x W_Q, c W_K, c W_V) W_O, heads side by side in the columns
//               Vaswani et al., Attention Is All You Need, 2017, section 3.2.2
//   block       y = x + multi_head(norm(x)),  out = y + gelu(norm(y) W_1 + b_1) W_2 + b_2
//               Xiong et al., On Layer Normalization in the Transformer Architecture, 2020
//               (pre-norm)
//
//   x, out [B, Nq, M]   c [B, Nk, M] (x itself in self-attention)   float32, row-major, no gaps
//   W_Q [M, Hq D]   W_K [M, Hkv D]   W_V [M, Hkv Dv]   W_O [Hq Dv, M]   W_1 [M, F]   W_2 [F, M]
#ifndef ATTNLAB_ATTENTION_LAYER_H_
#define ATTNLAB_ATTENTION_LAYER_H_

#include <cstdint>
#include <span>

#include "attention/kernel.h"

namespace attnlab {

inline constexpr double kNormEpsilon = 1e-5;

struct LayerProblem {
  Problem attention;     // dtype f32
  std::int64_t d_model;  // M
  std::int64_t ffn = 0;  // F of the block, 0: multi-head attention alone; needs nq = nk
};

// Row-major, without gaps; not owned. Those of the block are not read by multi-head attention.
struct LayerWeights {
  const float* w_q = nullptr;
  const float* w_k = nullptr;
  const float* w_v = nullptr;
  const float* w_o = nullptr;
  const float* norm1_gain = nullptr;  // [M], as norm1_bias, norm2_gain, norm2_bias
  const float* norm1_bias = nullptr;
  const float* norm2_gain = nullptr;
  const float* norm2_bias = nullptr;
  const float* w_1 = nullptr;
  const float* b_1 = nullptr;  // [F]
  const float* w_2 = nullptr;
  const float* b_2 = nullptr;  // [M]
};

// A layer set up for one shape and kernel: owns its workspace, run as often as wanted.
class Layer {
 public:
  // Throws UserError when the kernel does not support the problem or the shape makes no layer,
  // RunError when there is no memory. The kernel must outlive this.
  Layer(const Kernel& kernel, const LayerProblem& shape, int threads);

  // Computes out from x (queries) and, for multi-head attention, context (keys and values); a block
  // is given its x as context. mask as the problem says. out must not overlap x or context. The
  // team has the number of threads given above; the bits do not depend on it.
  void run(const LayerWeights& weights, const float* x, const float* context, float* out,
           ThreadTeam& team, const MaskView& mask = {}) const;

  const LayerProblem& shape() const { return shape_; }
  std::int64_t workspace_bytes() const { return buffer_.bytes() + attention_.workspace_bytes(); }

 private:
  void multi_head(const LayerWeights& weights, const float* x, const float* context, float* out,
                  float beta, ThreadTeam& team, const MaskView& mask) const;

  LayerProblem shape_;
  PreparedKernel attention_;
  AlignedBuffer buffer_;
  float *q_, *k_, *v_, *heads_;       // [B, N, heads x size]
  float *normed_, *residual_, *ffn_;  // of the block
};

// Bytes that a Layer would allocate.
std::int64_t layer_workspace(const Kernel& kernel, const LayerProblem& shape, int threads);

// Multiply-adds: projections (and feed-forward) and the kernel's. nullopt past 2^63 - 1.
std::optional<std::int64_t> layer_multiply_adds(const LayerProblem& shape, Operator op);

// Rows `rows` of the layer's output by its definition, out [B, rows, M] without gaps: in float64
// (the truth), and in float32 with plain sums (what rounding alone costs).
void reference_layer_rows(const LayerProblem& shape, Operator op, const LayerWeights& weights,
                          const float* x, const float* context, std::span<const std::int64_t> rows,
                          double* out, ThreadTeam& team, const MaskView& mask = {});
void textbook_layer_rows(const LayerProblem& shape, Operator op, const LayerWeights& weights,
                         const float* x, const float* context, std::span<const std::int64_t> rows,
                         float* out, ThreadTeam& team, const MaskView& mask = {});

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_LAYER_H_
