// 2^x for float vectors, x <= 127: the exponential of every SIMD kernel.
// 2^x = 2^n 2^f, n the nearest whole number; 2^f by a polynomial of degree 5 that is exactly 1 at
// 0, fitted for the least relative error on [-1/2, 1/2] (9.2e-8; 1.7e-7 with rounding).
// Below -126.5 the result is an exact zero; from there to -126 it is a denormal, which is zero
// where denormals are flushed (machine/denormals.h), as all kernels do. NaN gives NaN.
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

// A constant that is loaded once and kept in a register for the vectors that use it together: g++
// would read it from memory again for each of them, and the loads, not the arithmetic, would be the
// limit.
HWY_INLINE FloatVec InRegister(float value) {
  FloatVec out = hn::Set(FloatTag(), value);
#if HWY_ARCH_X86
  asm("" : "+v"(out.raw));
#endif
  return out;
}

// The larger of both; a NaN in x stays one. (Of a NaN and a number, x86's maximum is the second
// operand and ARM's the number.)
HWY_INLINE FloatVec AtLeast(FloatVec lowest, FloatVec x) {
#if HWY_ARCH_X86
  return hn::Max(lowest, x);
#else
  return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
#endif
}

// x[i] = 2^x[i], in lockstep.
template <int kCount>
HWY_INLINE void Exp2(FloatVec (&x)[kCount]) {
  const FloatTag df;
  const hn::RebindToUnsigned<FloatTag> du;
  FloatVec power[kCount], p[kCount];
  const FloatVec lowest = InRegister(-127.0f);
  // Adding this rounds x to a whole number n and leaves n + 127 in the low bits of the sum.
  const FloatVec magic = InRegister(0x1.8p23f + 127.0f);
  for (int i = 0; i < kCount; ++i) {
    const FloatVec held = AtLeast(lowest, x[i]);
    const FloatVec shifted = hn::Add(held, magic);
    x[i] = hn::Sub(held, hn::Sub(shifted, magic));
    power[i] = hn::BitCast(df, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  }
  const FloatVec c5 = InRegister(0.001326472731307149f), c4 = InRegister(0.009671512991189957f);
  for (int i = 0; i < kCount; ++i) p[i] = hn::MulAdd(c5, x[i], c4);
  for (const float c : {0.05550733581185341f, 0.24022242426872253f, 0.6931470036506653f, 1.0f}) {
    const FloatVec next = InRegister(c);
    for (int i = 0; i < kCount; ++i) p[i] = hn::MulAdd(p[i], x[i], next);
  }
  for (int i = 0; i < kCount; ++i) x[i] = hn::Mul(p[i], power[i]);
}

HWY_INLINE FloatVec Exp2(FloatVec x) {
  FloatVec one[1] = {x};
  Exp2(one);
  return one[0];
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
