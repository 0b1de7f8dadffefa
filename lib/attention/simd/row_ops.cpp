#include "attention/simd/row_ops.h"

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

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

HWY_EXPORT(SoftmaxRow);
HWY_EXPORT(HasNonfinite);

void softmax_row(float* row, std::int64_t n, float factor, bool argmax) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRow)(row, n, factor, argmax);
}

bool has_nonfinite(const float* row, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(HasNonfinite)(row, n);
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
