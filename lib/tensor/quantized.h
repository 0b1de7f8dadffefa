// Rows of int8 with one float32 scale each: element = scale * int8, symmetric about 0.
// The scale is max |x| / 127, so that an element is off by half a scale at most: max |x| / 254,
// and a few float32 roundings. A row whose largest element is below 127 * 2^-126 becomes zeros
// (scales must not be denormal); one with a NaN or Inf becomes NaN as a whole.
#ifndef ATTNLAB_TENSOR_QUANTIZED_H_
#define ATTNLAB_TENSOR_QUANTIZED_H_

#include <array>
#include <cstdint>

#include "tensor/view.h"

namespace attnlab {

// The scales of the rows [batch, heads, n] of an int8 tensor; without data every scale is 1, which
// is what rows of other types have.
struct RowScales {
  const float* data = nullptr;
  std::array<std::int64_t, 3> stride{};

  float at(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return data == nullptr ? 1.0f : data[b * stride[0] + h * stride[1] + i * stride[2]];
  }
  const float* row(std::int64_t b, std::int64_t h) const {
    return data == nullptr ? nullptr : data + b * stride[0] + h * stride[1];
  }
  // Those of rows [first, ...) of axis 2.
  RowScales from(std::int64_t first) const {
    return {data == nullptr ? nullptr : data + first * stride[2], stride};
  }
};

// Scales without gaps, row-major, of a tensor with that shape.
RowScales row_scales(const float* data, const Index4& shape);

// Writes n elements of a row as int8, rounded to nearest, ties to even; returns the row's scale.
float quantize_row(const float* row, std::int64_t n, std::int8_t* out);

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_QUANTIZED_H_
