// Small matrix products on padded rows: c += a b, for the linear kernels.
// a [rows, inner] with any strides, read one element at a time   b [inner, columns]
// c [rows, columns]; columns a multiple of 16, rows of b and c aligned.
#if defined(ATTNLAB_ATTENTION_SIMD_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_PRODUCT_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_PRODUCT_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/simd/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

struct Factor {
  const float* data;
  std::int64_t row_stride, inner_stride;
};

template <int kRows, int kVectors>
HWY_INLINE void ProductTile(const Factor& a, std::int64_t inner, const float* b,
                            std::int64_t b_stride, float* c, std::int64_t c_stride) {
  const FloatTag df;
  constexpr auto kLaneCount = static_cast<std::int64_t>(HWY_LANES(float));
  FloatVec sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(df);
  }
  HWY_UNROLL(2)
  for (std::int64_t k = 0; k < inner; ++k) {
    FloatVec row[kVectors];
    for (int v = 0; v < kVectors; ++v) row[v] = hn::Load(df, b + k * b_stride + v * kLaneCount);
    for (int r = 0; r < kRows; ++r) {
      const FloatVec element = hn::Set(df, a.data[r * a.row_stride + k * a.inner_stride]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(element, row[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      float* const at = c + r * c_stride + v * kLaneCount;
      hn::Store(hn::Add(hn::Load(df, at), sum[r][v]), df, at);
    }
  }
}

template <int kVectors>
HWY_INLINE void ProductColumns(Factor a, std::int64_t rows, std::int64_t inner, const float* b,
                               std::int64_t b_stride, float* c, std::int64_t c_stride) {
  for (; rows >= 4; rows -= 4, a.data += 4 * a.row_stride, c += 4 * c_stride) {
    ProductTile<4, kVectors>(a, inner, b, b_stride, c, c_stride);
  }
  for (; rows >= 1; --rows, a.data += a.row_stride, c += c_stride) {
    ProductTile<1, kVectors>(a, inner, b, b_stride, c, c_stride);
  }
}

// Sums over inner are made in parts, each from zero: a long sum then loses little to rounding.
HWY_NOINLINE inline void AddProduct(Factor a, std::int64_t rows, std::int64_t inner, const float* b,
                                    std::int64_t b_stride, std::int64_t columns, float* c,
                                    std::int64_t c_stride) {
  constexpr auto kLaneCount = static_cast<std::int64_t>(HWY_LANES(float));
  constexpr std::int64_t kPart = 32;
  for (; inner > 0; inner -= kPart, a.data += kPart * a.inner_stride, b += kPart * b_stride) {
    const std::int64_t part = inner < kPart ? inner : kPart;
    std::int64_t n = 0;
    for (; n + 3 * kLaneCount <= columns; n += 3 * kLaneCount) {
      ProductColumns<3>(a, rows, part, b + n, b_stride, c + n, c_stride);
    }
    for (; n < columns; n += kLaneCount) {
      ProductColumns<1>(a, rows, part, b + n, b_stride, c + n, c_stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
