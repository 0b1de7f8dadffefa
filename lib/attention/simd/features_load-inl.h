// Rows of keys and queries as features: the part of features.cpp that reads operands.
#if defined(ATTNLAB_ATTENTION_SIMD_FEATURES_LOAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_FEATURES_LOAD_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_FEATURES_LOAD_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_FEATURES_LOAD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "attention/simd/exp2-inl.h"
#include "attention/simd/features.h"
#include "attention/simd/features_memory.h"
#include "attention/simd/product-inl.h"
#include "attention/simd/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

constexpr auto kFeatureLanes = static_cast<std::int64_t>(HWY_LANES(float));

HWY_INLINE FloatVec NoLog() { return hn::Set(FloatTag(), -hwy::HighestValue<float>() * 2); }
HWY_INLINE FloatVec Log2E() { return hn::Set(FloatTag(), 1.44269504088896341f); }

// exp(x - base), where a base of -inf (there is nothing yet) counts as 0.
HWY_INLINE FloatVec ExpAbove(FloatVec x, FloatVec base) {
  const FloatVec finite = hn::IfThenZeroElse(hn::Eq(base, NoLog()), base);
  return Exp2(hn::Mul(hn::Sub(x, finite), Log2E()));
}

// Widens rows into scratch.rows, times factor.
HWY_INLINE void LoadRows(const std::byte* in, Dtype dtype, std::int64_t stride, std::int64_t count,
                         std::int64_t d, float factor, float* out) {
  const FloatTag df;
  const std::int64_t width = whole_vectors(d);
  for (std::int64_t r = 0; r < count; ++r) {
    WidenRows(in + r * stride * dtype_bytes(dtype), dtype, 0, 1, d, out + r * width);
    for (std::int64_t c = d; c < width; ++c) out[r * width + c] = 0;
    for (std::int64_t c = 0; c < width; c += kFeatureLanes) {
      float* const at = out + r * width + c;
      hn::Store(hn::Mul(hn::Load(df, at), hn::Set(df, factor)), df, at);
    }
  }
}

// linear: phi; performer: u . row, the exponents before anything is subtracted.
HWY_INLINE void Project(const FeatureJob& job, const float* rows, std::int64_t count, float* phi) {
  const FloatTag df;
  const std::int64_t width = whole_vectors(job.d), stride = job.feature_stride();
  if (job.performer) {
    std::fill_n(phi, count * stride, 0.0f);
    AddProduct({rows, width, 1}, count, job.d, job.directions, stride, stride, phi, stride);
    return;
  }
  for (std::int64_t i = 0; i < count * width; i += kFeatureLanes) {  // features = d
    const FloatVec x = hn::Load(df, rows + i);
    const FloatVec one = hn::Set(df, 1.0f);
    const auto positive = hn::Gt(x, hn::Zero(df));
    const FloatVec power = Exp2(hn::Mul(hn::IfThenZeroElse(positive, x), Log2E()));
    hn::Store(hn::IfThenElse(positive, hn::Add(x, one), power), df, phi + i);
  }
}

// Features (performer: exponents) and values of at most a block of keys. A hidden key's features
// and values are zeros (exponents -inf), whatever it holds.
HWY_INLINE void LoadKeys(const FeatureJob& job, const FeatureKeys& keys, std::int64_t first,
                         std::int64_t count, const FeatureState& state, const FeatureScratch& s) {
  const std::int64_t bytes = dtype_bytes(job.dtype);
  const std::int64_t stride = job.feature_stride(), width = whole_vectors(job.d);
  LoadRows(keys.k + first * keys.k_stride * bytes, job.dtype, keys.k_stride, count, job.d,
           job.key_factor, s.rows);
  Project(job, s.rows, count, s.phi);
  for (std::int64_t j = 0; j < count; ++j) {
    float* const phi = s.phi + j * stride;
    float* const value = s.values + j * job.value_stride();
    std::fill_n(value, job.value_stride(), 0.0f);
    if (keys.mask != nullptr && keys.mask[(first + j) * keys.mask_stride] == 0) {
      std::fill_n(phi, stride, job.performer ? hn::GetLane(NoLog()) : 0.0f);
      continue;
    }
    WidenRows(keys.v + (first + j) * keys.v_stride * bytes, job.dtype, 0, 1, job.dv, value);
    value[job.dv] = 1;
    if (!job.performer) continue;
    double half_square = 0;
    for (std::int64_t c = 0; c < job.d; ++c) {
      const double x = s.rows[j * width + c];
      half_square += x * x / 2;
    }
    if (!state.offset->known) *state.offset = {half_square, true};
    const auto above = static_cast<float>(half_square - state.offset->half_square);
    for (std::int64_t f = 0; f < job.features; ++f) phi[f] -= above;
  }
}

// Raises the state's logs to `now` and brings its sums to them.
HWY_INLINE void RaiseLogs(const FeatureJob& job, const FeatureState& state, const float* now,
                          float* factors) {
  const FloatTag df;
  const std::int64_t width = job.value_stride();
  for (std::int64_t f = 0; f < job.feature_stride(); f += kFeatureLanes) {
    const FloatVec before = hn::Load(df, state.logs + f), after = hn::Load(df, now + f);
    hn::Store(ExpAbove(before, after), df, factors + f);
    hn::Store(after, df, state.logs + f);
  }
  for (std::int64_t f = 0; f < job.features; ++f) {
    if (factors[f] == 1) continue;
    const FloatVec factor = hn::Set(df, factors[f]);
    for (std::int64_t c = 0; c < width; c += kFeatureLanes) {
      float* const at = state.sums + f * width + c;
      hn::Store(hn::Mul(hn::Load(df, at), factor), df, at);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
