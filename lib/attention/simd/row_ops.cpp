#include "attention/simd/row_ops.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/row_ops.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

void SoftmaxRow(float* row, std::int64_t n, float factor, bool argmax) {
  const FloatTag df;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const FloatVec hidden = hn::Set(df, -hwy::HighestValue<float>() * 2);  // -inf
  for (std::int64_t j = n; j < padded(n); ++j) row[j] = hn::GetLane(hidden);
  FloatVec largest = hidden;
  for (std::int64_t j = 0; j < n; j += lanes) {
    largest = hn::Max(hn::LoadU(df, row + j), largest);
  }
  largest = hn::MaxOfLanes(df, largest);
  // Without any visible key the differences below would be NaN.
  largest = hn::IfThenZeroElse(hn::Eq(largest, hidden), largest);
  const FloatVec scale = hn::Set(df, factor);
  FloatVec sum = hn::Zero(df);
  for (std::int64_t j = 0; j < n; j += lanes) {
    const FloatVec score = hn::LoadU(df, row + j);
    FloatVec weight;
    if (argmax) {
      weight = hn::IfThenElse(hn::Eq(score, largest), hn::Set(df, 1.0f),
                              hn::IfThenZeroElse(hn::Eq(score, score), score));  // NaN stays
    } else {
      weight = Exp2(hn::Mul(hn::Sub(score, largest), scale));
    }
    hn::StoreU(weight, df, row + j);
    sum = hn::Add(sum, weight);
  }
  sum = hn::SumOfLanes(df, sum);
  const FloatVec inverse =
      hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(df)), hn::Div(hn::Set(df, 1.0f), sum));
  for (std::int64_t j = 0; j < n; j += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(df, row + j), inverse), df, row + j);
  }
  for (std::int64_t j = n; j < padded(n); ++j) row[j] = 0;
}

bool HasNonfinite(const float* row, std::int64_t n) {
  const FloatTag df;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(df));
  // x - x is 0 for finite x and NaN otherwise.
  FloatVec sum = hn::Zero(df);
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const FloatVec x = hn::LoadU(df, row + j);
    sum = hn::Add(sum, hn::Sub(x, x));
  }
  float rest = hn::GetLane(hn::SumOfLanes(df, sum));
  for (; j < n; ++j) rest += row[j] - row[j];
  return rest != 0;
}

// x Phi(x) with Phi(-|x|) = exp(-x^2 / 2) t P(t) / 2, t = 1 / (1 + 0.45 |x| / sqrt 2): P fitted to
// erfc for the least relative error, 3.1e-7.
HWY_INLINE FloatVec Gelu(FloatVec x) {
  const FloatTag df;
  const FloatVec size = hn::Abs(x);
  const FloatVec one = hn::Set(df, 1.0f);
  const FloatVec t = hn::Div(one, hn::MulAdd(size, hn::Set(df, 0.318198052f), one));
  FloatVec p = hn::Set(df, 0.06684846431016922f);
  for (const float coefficient :
       {-0.24016372859477997f, 0.20860733091831207f, 0.040546003729104996f, 0.1884991079568863f,
        0.2281247079372406f, 0.25362902879714966f, 0.2539093792438507f}) {
    p = hn::MulAdd(p, t, hn::Set(df, coefficient));
  }
  const FloatVec power = Exp2(hn::Mul(hn::Mul(size, size), hn::Set(df, -0.721347520f)));
  const FloatVec tail = hn::Mul(hn::Mul(hn::Set(df, 0.5f), hn::Mul(p, t)), power);
  const FloatVec product = hn::Mul(size, tail);  // |x| Phi(-|x|)
  const FloatVec left = hn::Neg(product);
  // An infinite x would leave Inf * 0.
  const FloatVec right = hn::Sub(x, hn::IfThenElseZero(hn::Lt(size, hn::Set(df, 20.0f)), product));
  const FloatVec bounded = hn::IfThenZeroElse(hn::Lt(x, hn::Set(df, -20.0f)), left);
  return hn::IfThenElse(hn::Gt(x, hn::Zero(df)), right, bounded);
}

void GeluRow(float* x, std::int64_t n) {
  const FloatTag df;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(df));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(Gelu(hn::LoadU(df, x + i)), df, x + i);
  HWY_ALIGN float rest[HWY_LANES(float)] = {};
  std::copy(x + i, x + n, rest);
  hn::Store(Gelu(hn::Load(df, rest)), df, rest);
  std::copy_n(rest, n - i, x + i);
}

void LayerNormRow(const float* in, std::int64_t n, const float* gain, const float* bias,
                  float epsilon, float* out) {
  const FloatTag df;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(df));
  const std::int64_t whole = n / lanes * lanes;
  const float inverse_n = 1 / static_cast<float>(n);
  FloatVec sums = hn::Zero(df);
  for (std::int64_t i = 0; i < whole; i += lanes) sums = hn::Add(sums, hn::LoadU(df, in + i));
  float sum = hn::GetLane(hn::SumOfLanes(df, sums));
  for (std::int64_t i = whole; i < n; ++i) sum += in[i];
  const float mean = sum * inverse_n;
  FloatVec squares = hn::Zero(df);
  const FloatVec centre = hn::Set(df, mean);
  for (std::int64_t i = 0; i < whole; i += lanes) {
    const FloatVec x = hn::Sub(hn::LoadU(df, in + i), centre);
    squares = hn::MulAdd(x, x, squares);
  }
  float square = hn::GetLane(hn::SumOfLanes(df, squares));
  for (std::int64_t i = whole; i < n; ++i) square += (in[i] - mean) * (in[i] - mean);
  const float scale = 1 / std::sqrt(square * inverse_n + epsilon);
  for (std::int64_t i = 0; i < whole; i += lanes) {
    const FloatVec x = hn::Mul(hn::Sub(hn::LoadU(df, in + i), centre), hn::Set(df, scale));
    hn::StoreU(hn::MulAdd(x, hn::LoadU(df, gain + i), hn::LoadU(df, bias + i)), df, out + i);
  }
  for (std::int64_t i = whole; i < n; ++i) out[i] = (in[i] - mean) * scale * gain[i] + bias[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

HWY_EXPORT(SoftmaxRow);
HWY_EXPORT(HasNonfinite);
HWY_EXPORT(GeluRow);
HWY_EXPORT(LayerNormRow);

void softmax_row(float* row, std::int64_t n, float factor, bool argmax) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRow)(row, n, factor, argmax);
}

bool has_nonfinite(const float* row, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(HasNonfinite)(row, n);
}

void gelu_row(float* x, std::int64_t n) { HWY_DYNAMIC_DISPATCH(GeluRow)(x, n); }

void layer_norm_row(const float* in, std::int64_t n, const float* gain, const float* bias,
                    float epsilon, float* out) {
  HWY_DYNAMIC_DISPATCH(LayerNormRow)(in, n, gain, bias, epsilon, out);
}

void widen_row(const void* in, Dtype dtype, std::int64_t n, float factor, float* out) {
  switch (dtype) {
    case Dtype::kBf16:
      for (std::int64_t i = 0; i < n; ++i) {
        out[i] = to_float(static_cast<const Bf16*>(in)[i]) * factor;
      }
      return;
    case Dtype::kF16:
      for (std::int64_t i = 0; i < n; ++i) {
        out[i] = to_float(static_cast<const F16*>(in)[i]) * factor;
      }
      return;
    default:
      for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<const float*>(in)[i] * factor;
      return;
  }
}

}  // namespace attnlab
#endif  // HWY_ONCE
