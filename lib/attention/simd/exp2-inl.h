// 2^x for float vectors, x <= 127: the exponential of every SIMD kernel.
// 2^x = 2^n 2^f, n the nearest whole number; 2^f by a polynomial of degree 5 that is exactly 1 at
// 0, fitted for the least relative error on [-1/2, 1/2] (9.2e-8; 1.7e-7 with rounding).
// Below -126 the result is an exact zero, never a denormal. NaN gives NaN.
#if defined(ATTNLAB_ATTENTION_SIMD_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_EXP2_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_EXP2_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_EXP2_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

HWY_INLINE FloatVec Exp2(FloatVec x) {
  const FloatTag df;
  // Adding this rounds x to a whole number n and leaves n + 127 in the low bits of the sum.
  const FloatVec magic = hn::Set(df, 0x1.8p23f + 127.0f);
  const FloatVec shifted = hn::Add(x, magic);
  const FloatVec f = hn::Sub(x, hn::Sub(shifted, magic));
  const hn::RebindToUnsigned<FloatTag> du;
  const FloatVec power = hn::BitCast(df, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  FloatVec p = hn::Set(df, 0.001326472731307149f);
  p = hn::MulAdd(p, f, hn::Set(df, 0.009671512991189957f));
  p = hn::MulAdd(p, f, hn::Set(df, 0.05550733581185341f));
  p = hn::MulAdd(p, f, hn::Set(df, 0.24022242426872253f));
  p = hn::MulAdd(p, f, hn::Set(df, 0.6931470036506653f));
  p = hn::MulAdd(p, f, hn::Set(df, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(df, -126.0f)), hn::Mul(p, power));
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
