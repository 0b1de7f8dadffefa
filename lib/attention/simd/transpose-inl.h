// Transposed copies between rows as they lie in memory and tiles with rows on the lanes.
#if defined(ATTNLAB_ATTENTION_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_TRANSPOSE_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_TRANSPOSE_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using QuadTag = hn::FixedTag<float, 4>;
using QuadVec = hn::Vec<QuadTag>;

// to[j * to_stride + i] = from[i * from_stride + j] * factor[j] for i, j in 0 .. 3.
HWY_INLINE void TransposeQuad(const float* from, std::int64_t from_stride, QuadVec factor,
                              float* to, std::int64_t to_stride) {
  const QuadTag d;
  const auto row = [&](int i)
                       HWY_ATTR { return hn::Mul(hn::LoadU(d, from + i * from_stride), factor); };
  const QuadVec r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
  const QuadVec low01 = hn::InterleaveLower(d, r0, r1), high01 = hn::InterleaveUpper(d, r0, r1);
  const QuadVec low23 = hn::InterleaveLower(d, r2, r3), high23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, to + to_stride);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, to + 2 * to_stride);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, to + 3 * to_stride);
}

// to[c * to_stride + r] = from[r * from_stride + c] * factor for r < rows, c < columns.
HWY_INLINE void TransposeScaled(const float* from, std::int64_t from_stride, std::int64_t rows,
                                std::int64_t columns, float factor, float* to,
                                std::int64_t to_stride) {
  const QuadVec factors = hn::Set(QuadTag(), factor);
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const float* const at = from + r * from_stride;
    std::int64_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      TransposeQuad(at + c, from_stride, factors, to + c * to_stride + r, to_stride);
    }
    for (; c < columns; ++c) {
      for (int i = 0; i < 4; ++i) to[c * to_stride + r + i] = at[i * from_stride + c] * factor;
    }
  }
  for (; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      to[c * to_stride + r] = from[r * from_stride + c] * factor;
    }
  }
}

// to[r * to_stride + c] = from[c * from_stride + r] * factors[r] for r < rows, c < columns.
HWY_INLINE void TransposeScaledBack(const float* from, std::int64_t from_stride, std::int64_t rows,
                                    std::int64_t columns, const float* factors, float* to,
                                    std::int64_t to_stride) {
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const QuadVec factor = hn::LoadU(QuadTag(), factors + r);
    std::int64_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      TransposeQuad(from + c * from_stride + r, from_stride, factor, to + r * to_stride + c,
                    to_stride);
    }
    for (; c < columns; ++c) {
      for (int i = 0; i < 4; ++i) {
        to[(r + i) * to_stride + c] = from[c * from_stride + r + i] * factors[r + i];
      }
    }
  }
  for (; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      to[r * to_stride + c] = from[c * from_stride + r] * factors[r];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
