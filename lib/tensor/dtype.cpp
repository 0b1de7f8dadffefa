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

float to_float(F16 value) {
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1F, fraction = value.bits & 0x3FF;
  if (exponent == 0) {  // zero or subnormal
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFF : exponent + 127 - 15;
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

F16 to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const auto with_sign = [&](std::uint32_t size) {
    return F16{static_cast<std::uint16_t>(sign | size)};
  };
  const float size = std::abs(value);
  if (std::isnan(value)) return with_sign(0x7E00 | ((bits >> 13) & 0x3FF));
  if (size >= 65520.0f) return with_sign(0x7C00);  // Inf: half way to the next power and beyond
  if (size < 0x1p-14f) {                           // subnormal: a whole number of 2^-24
    return with_sign(static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24f)));
  }
  const std::uint32_t odd = (bits >> 13) & 1;
  const std::uint32_t rounded = (bits & 0x7FFFFFFF) + 0xFFF + odd;
  return with_sign((rounded - ((127u - 15u) << 23)) >> 13);
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
