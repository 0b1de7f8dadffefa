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

// to[j * to_stride + i] = element j of row i, for i, j in 0 .. 3.
template <class Tag, class Vec, class T>
HWY_INLINE void StoreTransposed(Tag d, Vec r0, Vec r1, Vec r2, Vec r3, T* to,
                                std::int64_t to_stride) {
  const Vec low01 = hn::InterleaveLower(d, r0, r1), high01 = hn::InterleaveUpper(d, r0, r1);
  const Vec low23 = hn::InterleaveLower(d, r2, r3), high23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, to + to_stride);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, to + 2 * to_stride);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, to + 3 * to_stride);
}

// to[j * to_stride + i] = from[i * from_stride + j] * factor[j] for i, j in 0 .. 3.
HWY_INLINE void TransposeQuad(const float* from, std::int64_t from_stride, QuadVec factor,
                              float* to, std::int64_t to_stride) {
  const QuadTag d;
  const auto row = [&](int i)
                       HWY_ATTR { return hn::Mul(hn::LoadU(d, from + i * from_stride), factor); };
  StoreTransposed(d, row(0), row(1), row(2), row(3), to, to_stride);
}

// The same of 32 bits each, whatever they mean, for i < rows and j < columns, multiples of 4.
HWY_INLINE void TransposeBits(const std::uint32_t* from, std::int64_t from_stride,
                              std::int64_t rows, std::int64_t columns, std::uint32_t* to,
                              std::int64_t to_stride) {
  const hn::FixedTag<std::uint32_t, 4> d;
  for (std::int64_t i = 0; i < rows; i += 4) {
    const auto row = [&](std::int64_t at)
                         HWY_ATTR { return hn::LoadU(d, from + i * from_stride + at); };
    for (std::int64_t j = 0; j < columns; j += 4) {
      StoreTransposed(d, row(j), row(from_stride + j), row(2 * from_stride + j),
                      row(3 * from_stride + j), to + j * to_stride + i, to_stride);
    }
  }
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
