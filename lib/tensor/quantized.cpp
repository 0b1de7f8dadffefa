#include "tensor/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

constexpr float kLargest = 127;

}  // namespace

RowScales row_scales(const float* data, const Index4& shape) {
  return {data, {shape[1] * shape[2], shape[2], 1}};
}

float quantize_row(const float* row, std::int64_t n, std::int8_t* out) {
  float largest = 0;
  bool is_finite = true;
  for (std::int64_t i = 0; i < n; ++i) {
    is_finite = is_finite && std::isfinite(row[i]);
    largest = std::max(largest, std::abs(row[i]));
  }
  const float scale = largest / kLargest;
  if (!is_finite || scale < std::numeric_limits<float>::min()) {
    std::fill_n(out, n, std::int8_t{0});
    return is_finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::int8_t>(std::nearbyint(row[i] / scale));
  }
  return scale;
}

}  // namespace attnlab
