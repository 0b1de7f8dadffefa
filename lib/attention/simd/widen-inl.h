// Rows of f32, bf16, f16 or int8 (without its scale) as float32. Exact: halves keep NaN, Inf and,
// where denormal float32 are flushed, their own subnormals too.
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
#if HWY_TARGET == HWY_SSE4  // no instruction for it, and Highway's own code makes numbers of Inf
  const hn::RebindToUnsigned<hn::ScalableTag<float>> du;
  const hn::RebindToSigned<hn::ScalableTag<float>> di;
  const hn::Rebind<std::uint16_t, hn::ScalableTag<float>> dh;
  const auto bits = hn::PromoteTo(du, hn::LoadU(dh, reinterpret_cast<const std::uint16_t*>(p)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const auto exponent = hn::And(bits, hn::Set(du, 0x7C00u));
  const auto fraction = hn::And(bits, hn::Set(du, 0x3FFu));
  // Subnormals are whole numbers of 2^-24.
  const auto tiny = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, fraction)), hn::Set(df, 0x1p-24f));
  const auto all_ones = hn::VecFromMask(du, hn::Eq(exponent, hn::Set(du, 0x7C00u)));
  const auto rebias = hn::Add(hn::Set(du, std::uint32_t{127 - 15} << 23),
                              hn::And(all_ones, hn::Set(du, std::uint32_t{127 - 15} << 23)));
  const auto normal = hn::Add(hn::ShiftLeft<13>(hn::Or(exponent, fraction)), rebias);
  const auto size = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), hn::BitCast(du, tiny), normal);
  return hn::BitCast(df, hn::Or(sign, size));
#else
  const hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> dh;
  return hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(p)));
#endif
}
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadWide(const std::int8_t* p) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<hn::ScalableTag<float>> di;
  const hn::Rebind<std::int8_t, hn::ScalableTag<float>> db;
  return hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(db, p)));
}

HWY_INLINE float ToFloat(float x) { return x; }
HWY_INLINE float ToFloat(Bf16 x) { return to_float(x); }
HWY_INLINE float ToFloat(F16 x) { return to_float(x); }
HWY_INLINE float ToFloat(std::int8_t x) { return x; }

template <class T>
HWY_INLINE void WidenRow(const T* in, std::int64_t n, float* out) {
  const hn::ScalableTag<float> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(LoadWide(in + i), df, out + i);
  for (; i < n; ++i) out[i] = ToFloat(in[i]);
}

// Rows of f32, bf16 or f16 to float32 rows without gaps.
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
