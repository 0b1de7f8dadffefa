// Vectorised operations on rows of float32, for the kernels whose heavy work is in BLAS. They run
// on the best instruction set of this processor.
#ifndef ATTNLAB_ATTENTION_SIMD_ROW_OPS_H_
#define ATTNLAB_ATTENTION_SIMD_ROW_OPS_H_

#include <cstdint>

#include "tensor/dtype.h"

namespace attnlab {

// Rows are processed in whole vectors: they need room for a multiple of this many elements.
inline constexpr std::int64_t kRowPadding = 16;
constexpr std::int64_t padded(std::int64_t n) {
  return (n + kRowPadding - 1) / kRowPadding * kRowPadding;
}

// Turns the scores row[0, n) into weights that sum to 1, and fills up to padded(n) with zeros.
// factor is exponent_factor() (scaling.h); argmax is temperature 0. A score of -inf gives an exact
// zero; if all are, all weights are zero.
void softmax_row(float* row, std::int64_t n, float factor, bool argmax);

// Whether a NaN or Inf is among the n elements.
bool has_nonfinite(const float* row, std::int64_t n);

// out[i] = in[i] * factor, widened from f32, bf16 or f16.
void widen_row(const void* in, Dtype dtype, std::int64_t n, float factor, float* out);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_ROW_OPS_H_
