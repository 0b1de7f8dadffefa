// Rows of f32, bf16 or f16 as float32.
#if defined(ATTNLAB_ATTENTION_SIMD_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_WIDEN_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_WIDEN_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_WIDEN_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes elements from p, which need not be aligned.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadWide(const float* p) {
  return hn::LoadU(hn::ScalableTag<float>(), p);
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadWide(const Bf16* p) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<hn::ScalableTag<float>> du;
  const hn::Rebind<std::uint16_t, hn::ScalableTag<float>> dh;
  const auto bits = hn::PromoteTo(du, hn::LoadU(dh, reinterpret_cast<const std::uint16_t*>(p)));
  return hn::BitCast(df, hn::ShiftLeft<16>(bits));
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadWide(const F16* p) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> dh;
  return hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(p)));
}

HWY_INLINE float ToFloat(float x) { return x; }
HWY_INLINE float ToFloat(Bf16 x) { return to_float(x); }
HWY_INLINE float ToFloat(F16 x) { return to_float(x); }

template <class T>
HWY_INLINE void WidenRow(const T* in, std::int64_t n, float* out) {
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(LoadWide(in + i), df, out + i);
  for (; i < n; ++i) out[i] = ToFloat(in[i]);
}

// Rows of any of the three types to float32 rows without gaps.
HWY_INLINE void WidenRows(const std::byte* in, Dtype dtype, std::int64_t stride, std::int64_t rows,
                          std::int64_t n, float* out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::byte* const row = in + r * stride * dtype_bytes(dtype);
    if (dtype == Dtype::kBf16) {
      WidenRow(reinterpret_cast<const Bf16*>(row), n, out + r * n);
    } else if (dtype == Dtype::kF16) {
      WidenRow(reinterpret_cast<const F16*>(row), n, out + r * n);
    } else {
      WidenRow(reinterpret_cast<const float*>(row), n, out + r * n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
