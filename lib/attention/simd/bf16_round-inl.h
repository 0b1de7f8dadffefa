// float32 to bfloat16: to nearest, ties to even; NaN stays NaN.
#if defined(ATTNLAB_ATTENTION_SIMD_BF16_ROUND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_BF16_ROUND_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_BF16_ROUND_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_BF16_ROUND_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/simd/widen-inl.h"
#include "tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BitsTag = hn::RebindToUnsigned<hn::ScalableTag<float>>;
using BitsVec = hn::Vec<BitsTag>;

// The bits of the rounded numbers, in the lower half of each lane.
HWY_INLINE BitsVec RoundedBits(hn::Vec<hn::ScalableTag<float>> x) {
  const BitsTag du;
  const BitsVec bits = hn::BitCast(du, x);
  const BitsVec upper = hn::ShiftRight<16>(bits);
  const BitsVec odd = hn::And(upper, hn::Set(du, 1u));
  const BitsVec rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd));
  // Rounding could carry a NaN's payload into Inf.
  const BitsVec is_number = hn::VecFromMask(du, hn::RebindMask(du, hn::Eq(x, x)));
  return hn::Or(hn::And(is_number, rounded),
                hn::AndNot(is_number, hn::Or(upper, hn::Set(du, 0x40u))));
}

// out[i] = in[i] * factor, rounded; T is float or Bf16.
template <class T>
HWY_INLINE void RoundRow(const T* in, std::int64_t n, float factor, Bf16* out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<hn::ScalableTag<float>> di;
  const hn::Rebind<std::uint16_t, hn::ScalableTag<float>> dh;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const auto factors = hn::Set(df, factor);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const BitsVec bits = RoundedBits(hn::Mul(LoadWide(in + i), factors));
    hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, bits)), dh,
               reinterpret_cast<std::uint16_t*>(out + i));
  }
  for (; i < n; ++i) out[i] = to_bf16(ToFloat(in[i]) * factor);
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
