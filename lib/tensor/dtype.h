// Element types: names, sizes, and conversion of the half types to and from float.
// bf16 is the upper half of a float32; f16 is IEEE 754 binary16. Rounding is to nearest, ties to
// even; NaN and Inf are kept, subnormal halves are exact.
#ifndef ATTNLAB_TENSOR_DTYPE_H_
#define ATTNLAB_TENSOR_DTYPE_H_

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace attnlab {

enum class Dtype { kF32, kF64, kBf16, kF16, kInt8 };

// The name in flags and results: f32, f64, bf16, f16, int8.
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);
std::int64_t dtype_bytes(Dtype dtype);

struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};

inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
float to_float(F16 value);
Bf16 to_bf16(float value);
F16 to_f16(float value);

// The value of element `index` of an array of `dtype`, exactly; int8 without its scale.
double load_element(const void* data, Dtype dtype, std::int64_t index);
// Rounds `value` to `dtype` and stores it; not for int8, whose scale belongs to a whole row.
void store_element(void* data, Dtype dtype, std::int64_t index, double value);

template <class T>
inline constexpr Dtype kDtypeOf = Dtype::kF32;
template <>
inline constexpr Dtype kDtypeOf<double> = Dtype::kF64;
template <>
inline constexpr Dtype kDtypeOf<Bf16> = Dtype::kBf16;
template <>
inline constexpr Dtype kDtypeOf<F16> = Dtype::kF16;
template <>
inline constexpr Dtype kDtypeOf<std::int8_t> = Dtype::kInt8;

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_DTYPE_H_
