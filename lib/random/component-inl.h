// Components of every law from random words, float32, in vectors. Each law is a struct with
// kComponents, the independent components it makes of the four words of a Philox block, and
// Draw(words, components), which makes them.
//
// Uniforms come from a whole 32-bit word w, taken as signed: u = |w + 1/2| / 2^31 in (0, 1], which
// float32 resolves finely near 0, where the tails are. Where the law has a second word to spare
// bits, its low 23 bits replace the 1/2, so that u goes down to 2^-54: the normal's tail ends at
// 8.6 standard deviations. Those bits are below what the second word's own use can see.
// Approximations are minimax polynomials (weighted least squares on Chebyshev nodes, Lawson's
// iteration), with relative errors below 3e-8; rounding adds about 1e-7, without a bias that
// reaches 1e-7 of a variance (tests/random/component_test.cpp).
#if defined(ATTNLAB_RANDOM_COMPONENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_RANDOM_COMPONENT_INL_H_
#undef ATTNLAB_RANDOM_COMPONENT_INL_H_
#else
#define ATTNLAB_RANDOM_COMPONENT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatV = hn::Vec<Floats>;
using WordV = hn::Vec<hn::RebindToUnsigned<Floats>>;

HWY_INLINE FloatV Constant(float x) { return hn::Set(Floats(), x); }
HWY_INLINE FloatV AsFloat(WordV w) { return hn::BitCast(Floats(), w); }
HWY_INLINE WordV Bits(std::uint32_t x) { return hn::Set(hn::RebindToUnsigned<Floats>(), x); }

// The signed word over 2^31, in [-1, 1].
HWY_INLINE FloatV Signed(WordV w) {
  const hn::RebindToSigned<Floats> ints;
  return hn::Mul(hn::ConvertTo(Floats(), hn::BitCast(ints, w)), Constant(0x1p-31f));
}

// (w + 1/2) / 2^31: uniform over (-1, 1), sign and magnitude independent, never 0.
HWY_INLINE FloatV SignedUniform(WordV w) {
  const hn::RebindToSigned<Floats> ints;
  return hn::MulAdd(hn::ConvertTo(Floats(), hn::BitCast(ints, w)), Constant(0x1p-31f),
                    Constant(0x1p-32f));
}

// The same with the low bits of `fine`, as a fraction of 1, in the place of the 1/2. The fraction
// takes the values 2^-23 (odd numbers), between 0 and 1, plus 1: from -1 + 2^-31 to 1 + 2^-31.
HWY_INLINE FloatV SignedUniform(WordV w, WordV fine) {
  const hn::RebindToSigned<Floats> ints;
  const WordV one = hn::BitCast(hn::RebindToUnsigned<Floats>(), Constant(0x1p-31f));
  const FloatV fraction = AsFloat(hn::Or(hn::And(fine, Bits(0x007fffffu)), hn::Or(one, Bits(1u))));
  return hn::MulAdd(hn::ConvertTo(Floats(), hn::BitCast(ints, w)), Constant(0x1p-31f), fraction);
}

// -ln |x| for |x| in [2^-126, 2^127]; at least 0 where |x| <= 1.
HWY_INLINE FloatV MinusLog(FloatV x) {
  const hn::RebindToSigned<Floats> ints;
  const auto bits = hn::BitCast(ints, hn::Abs(x));
  // |x| = 2^e m with m from sqrt 1/2 to sqrt 2
  const auto above = hn::Sub(bits, hn::Set(ints, 0x3f3504f3));
  const auto exponent = hn::And(above, hn::Set(ints, static_cast<std::int32_t>(0xff800000u)));
  const FloatV m = hn::BitCast(Floats(), hn::Sub(bits, exponent));
  const FloatV e = hn::ConvertTo(Floats(), hn::ShiftRight<23>(above));
  const FloatV t = hn::Sub(m, Constant(1.0f));
  // -ln(1 + t) / t, by Estrin's scheme: Horner's waits for one product after another
  const FloatV t2 = hn::Mul(t, t), t4 = hn::Mul(t2, t2);
  const FloatV c01 = hn::MulAdd(Constant(0.49999987964106907f), t, Constant(-0.999999974189593f));
  const FloatV c23 = hn::MulAdd(Constant(0.25002074075122444f), t, Constant(-0.33334185625854845f));
  const FloatV c45 = hn::MulAdd(Constant(0.16562392952706184f), t, Constant(-0.19956833559727233f));
  const FloatV c67 = hn::MulAdd(Constant(0.14366843805192614f), t, Constant(-0.14952266465071815f));
  const FloatV c03 = hn::MulAdd(c23, t2, c01), c47 = hn::MulAdd(c67, t2, c45);
  const FloatV p = hn::MulAdd(hn::MulAdd(Constant(-0.08722357070808796f), t4, c47), t4, c03);
  return hn::NegMulAdd(e, Constant(0.693147180559945309f), hn::Mul(p, t));
}

// sin(pi x / 2) for x in [-1, 1].
HWY_INLINE FloatV SinQuarterTurns(FloatV x) {
  const FloatV y = hn::Mul(x, x);
  FloatV p = Constant(0.0775603869340813f / 512.0f);
  p = hn::MulAdd(p, y, Constant(-0.5982421263873121f / 128.0f));
  p = hn::MulAdd(p, y, Constant(2.55006972632944f / 32.0f));
  p = hn::MulAdd(p, y, Constant(-5.1677096847985995f / 8.0f));
  p = hn::MulAdd(p, y, Constant(3.1415926368953877f / 2.0f));
  return hn::Mul(p, x);
}

// exp(x) - 1 for x in [0, 87], with a small relative error near 0 too.
HWY_INLINE FloatV ExpMinus1(FloatV x) {
  const hn::RebindToSigned<Floats> ints;
  const auto n = hn::NearestInt(hn::Mul(x, Constant(1.44269504088896341f)));
  const FloatV e = hn::ConvertTo(Floats(), n);
  // ln 2 in two parts: the first has few enough bits for exact products with e
  FloatV r = hn::NegMulAdd(e, Constant(0.693145751953125f), x);
  r = hn::NegMulAdd(e, Constant(1.42860677e-6f), r);
  // (exp(r) - 1) / r
  FloatV p = Constant(0.0013888872832205721f);
  p = hn::MulAdd(p, r, Constant(0.008369068562709496f));
  p = hn::MulAdd(p, r, Constant(0.041667136208127606f));
  p = hn::MulAdd(p, r, Constant(0.16666506219548996f));
  p = hn::MulAdd(p, r, Constant(0.4999999812479712f));
  p = hn::MulAdd(p, r, Constant(1.0000000106279667f));
  const FloatV power =
      hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(ints, 127))));  // 2^n
  return hn::MulAdd(power, hn::Mul(p, r), hn::Sub(power, Constant(1.0f)));
}

// Two independent normals from the words of a radius and of an angle (Box and Muller 1958). The
// angle covers the half circle with cos >= 0; the sign of the radius's word turns it over.
HWY_INLINE void NormalPair(WordV radius_word, WordV angle_word, FloatV& first, FloatV& second) {
  const FloatV u = SignedUniform(radius_word, angle_word), x = Signed(angle_word);
  const FloatV minus_log = MinusLog(u);
  const FloatV radius = hn::Sqrt(hn::Add(minus_log, minus_log));
  first = hn::Mul(hn::CopySign(radius, u), SinQuarterTurns(hn::Sub(Constant(1.0f), hn::Abs(x))));
  second = hn::Mul(radius, SinQuarterTurns(x));
}

// The product of two independent normals: r cos(a) r sin(a) = (r^2 / 2) sin(2 a) = -ln(u) sin(2 a).
// The sine of an angle on the full circle has the same law as that of one on half of it.
HWY_INLINE FloatV NormalProduct(WordV radius_word, WordV angle_word) {
  const FloatV u = SignedUniform(radius_word, angle_word);
  return hn::Mul(MinusLog(u), SinQuarterTurns(Signed(angle_word)));
}

struct NormalComponents {
  static constexpr int kComponents = 4;
  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    NormalPair(w[0], w[1], out[0], out[1]);
    NormalPair(w[2], w[3], out[2], out[3]);
  }
};

struct UniformComponents {
  static constexpr int kComponents = 4;
  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    for (int i = 0; i < 4; ++i) {
      out[i] = hn::Mul(SignedUniform(w[i]), Constant(1.73205080756887729f));
    }
  }
};

// The sign bit of a word. Sums of products of these are counted from all bits (SumSigns).
struct RademacherComponents {
  static constexpr int kComponents = 4;
  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    for (int i = 0; i < 4; ++i) out[i] = hn::CopySign(Constant(1.0f), AsFloat(w[i]));
  }
};

// The magnitude is exponential: -ln(u), over sqrt 2.
struct LaplaceComponents {
  static constexpr int kComponents = 4;
  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    for (int i = 0; i < 4; ++i) {
      const FloatV u = SignedUniform(w[i]);
      out[i] = hn::CopySign(hn::Mul(MinusLog(u), Constant(0.707106781186547524f)), u);
    }
  }
};

// The magnitude exceeds x with probability 2 / (1 + e^x) = u, so x = ln((2 - u) / u).
struct LogisticComponents {
  static constexpr int kComponents = 4;
  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    for (int i = 0; i < 4; ++i) {
      const FloatV signed_u = SignedUniform(w[i]), u = hn::Abs(signed_u);
      const FloatV x = MinusLog(hn::Div(u, hn::Sub(Constant(2.0f), u)));
      out[i] = hn::CopySign(hn::Mul(x, Constant(0.551328895421792050f)), signed_u);  // sqrt 3 / pi
    }
  }
};

// sqrt(df (u^(-2/df) - 1)) cos(2 pi v) follows Student's t: Bailey, Polar generation of random
// variates with the t-distribution, Mathematics of Computation 62, 1994. Over its standard
// deviation sqrt(df / (df - 2)).
struct StudentTComponents {
  static constexpr int kComponents = 2;
  // From df = 10^12 on the law is the normal one to every bit, and both factors stay normal.
  explicit StudentTComponents(double df)
      : exponent(static_cast<float>(2.0 / std::min(df, 1e12))),
        square(static_cast<float>(std::min(df, 1e12) - 2.0)) {}
  float exponent, square;

  HWY_INLINE void Draw(const WordV (&w)[4], FloatV (&out)[4]) const {
    for (int i = 0; i < 2; ++i) {
      const FloatV minus_log = MinusLog(SignedUniform(w[2 * i], w[2 * i + 1]));
      const FloatV power = ExpMinus1(hn::Mul(minus_log, Constant(exponent)));
      out[i] = hn::Mul(hn::Sqrt(hn::Mul(power, Constant(square))),
                       SinQuarterTurns(Signed(w[2 * i + 1])));
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
