// Products of bfloat16 two at a time: a lane holds a pair, the earlier of two channels (or keys) in
// its lower half, and adds both products to a float32 sum.
#if defined(ATTNLAB_ATTENTION_SIMD_BF16_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_BF16_PAIRS_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_BF16_PAIRS_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_BF16_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/simd/bf16_round-inl.h"
#include "attention/simd/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// The upper halves alone, which are the later elements as float32.
HWY_INLINE BitsVec UpperHalf(BitsVec pair) {
  return hn::And(pair, hn::Set(BitsTag(), 0xFFFF0000u));
}

// Plain arithmetic: what the processor's instruction does but for its rounding, on every target.
struct PlainPairs {
  using Element = std::uint32_t;
  using Factor = BitsVec;
  static HWY_INLINE Factor Load(const Element* p) { return hn::Load(BitsTag(), p); }
  static HWY_INLINE Factor Same(Element x) { return hn::Set(BitsTag(), x); }
  static HWY_INLINE FloatVec Add(Factor a, Factor b, FloatVec sum) {
    const FloatTag df;
    sum = hn::MulAdd(hn::BitCast(df, hn::ShiftLeft<16>(a)), hn::BitCast(df, hn::ShiftLeft<16>(b)),
                     sum);
    return hn::MulAdd(hn::BitCast(df, UpperHalf(a)), hn::BitCast(df, UpperHalf(b)), sum);
  }
};

#if HWY_TARGET == HWY_AVX3
// AVX512-BF16. In assembly, because this target's code is compiled for processors without it: a
// function of another target would not be put into the loops.
struct NativePairs : PlainPairs {
  static HWY_INLINE FloatVec Add(Factor a, Factor b, FloatVec sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
};
#endif

// weight[i] = 2^(x[i] + 1/2) to bfloat16's precision, in lockstep, rounded: the lower half of each
// lane is to be thrown away. x <= 126. With 2^(x + 1/2) = 2^n p, n the whole number nearest to x,
// p is from 1 to 2, where half a unit of bfloat16's last place is 2^-8: with that added to the
// polynomial's constant, throwing away rounds, half up. The polynomial of degree 3 is fitted for
// the least relative error of 2^(f + 1/2) on [-1/2, 1/2]: 7.5e-5, a fiftieth of what rounding may
// cost. NaN gives NaN, and below -126.5 the result is an exact zero.
template <int kCount>
HWY_INLINE void Exp2ToRound(FloatVec (&x)[kCount]) {
  const FloatTag df;
  const BitsTag du;
  FloatVec power[kCount], p[kCount];
  const FloatVec lowest = InRegister(-127.0f);
  const FloatVec magic = InRegister(0x1.8p23f + 127.0f);
  for (int i = 0; i < kCount; ++i) {
    const FloatVec held = AtLeast(lowest, x[i]);
    const FloatVec shifted = hn::Add(held, magic);
    x[i] = hn::Sub(held, hn::Sub(shifted, magic));
    power[i] = hn::BitCast(df, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  }
  const FloatVec c3 = InRegister(0.07802452147006989f), c2 = InRegister(0.34310394525527954f);
  for (int i = 0; i < kCount; ++i) p[i] = hn::MulAdd(c3, x[i], c2);
  for (const float c : {0.9804190993309021f, 1.414111852645874f + 0x1p-8f}) {
    const FloatVec next = InRegister(c);
    for (int i = 0; i < kCount; ++i) p[i] = hn::MulAdd(p[i], x[i], next);
  }
  for (int i = 0; i < kCount; ++i) x[i] = hn::Mul(p[i], power[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
