#include "tensor/dtype.h"

#include <cmath>
#include <utility>

#include "base/check.h"

namespace attnlab {
namespace {

constexpr std::pair<Dtype, std::string_view> kNames[] = {{Dtype::kF32, "f32"},
                                                         {Dtype::kF64, "f64"},
                                                         {Dtype::kBf16, "bf16"},
                                                         {Dtype::kF16, "f16"},
                                                         {Dtype::kInt8, "int8"}};

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  for (const auto& [value, name] : kNames) {
    if (value == dtype) return name;
  }
  return "";
}

std::optional<Dtype> dtype_from_name(std::string_view wanted) {
  for (const auto& [value, name] : kNames) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

std::int64_t dtype_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return 8;
    case Dtype::kF32:
      return 4;
    case Dtype::kBf16:
    case Dtype::kF16:
      return 2;
    case Dtype::kInt8:
      return 1;
  }
  return 0;
}

Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {  // rounding could carry a NaN's payload into Inf: keep it quiet instead
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40)};
  }
  const std::uint32_t odd = (bits >> 16) & 1;
  return {static_cast<std::uint16_t>((bits + 0x7FFF + odd) >> 16)};
}

double load_element(const void* data, Dtype dtype, std::int64_t index) {
  switch (dtype) {
    case Dtype::kF32:
      return static_cast<const float*>(data)[index];
    case Dtype::kF64:
      return static_cast<const double*>(data)[index];
    case Dtype::kBf16:
      return to_float(static_cast<const Bf16*>(data)[index]);
    case Dtype::kF16:
      return to_float(static_cast<const F16*>(data)[index]);
    case Dtype::kInt8:
      return static_cast<const std::int8_t*>(data)[index];
  }
  return 0;
}

void store_element(void* data, Dtype dtype, std::int64_t index, double value) {
  ATTNLAB_CHECK(dtype != Dtype::kInt8);
  switch (dtype) {
    case Dtype::kF32:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      break;
    case Dtype::kF64:
      static_cast<double*>(data)[index] = value;
      break;
    case Dtype::kBf16:
      static_cast<Bf16*>(data)[index] = to_bf16(static_cast<float>(value));
      break;
    case Dtype::kF16:
      static_cast<F16*>(data)[index] = to_f16(static_cast<float>(value));
      break;
    case Dtype::kInt8:
      break;
  }
}

}  // namespace attnlab
