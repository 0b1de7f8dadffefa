// Sums of features of keys, and queries' products with them: features.h has the formulas.
// Katharopoulos et al., Transformers are RNNs, 2020, section 3 (sums over keys; causal: key by
// key); Choromanski et al., Rethinking Attention with Performers, 2021, section 2.3 (positive
// features).
#include "attention/simd/features.h"

#include <algorithm>

#include "attention/simd/features_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/features.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/exp2-inl.h"
#include "attention/simd/features_load-inl.h"
#include "attention/simd/product-inl.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

void Clear(const FeatureJob& job, const FeatureState& state) {
  std::fill_n(state.sums, job.features * job.value_stride(), 0.0f);
  if (!job.performer) return;
  std::fill_n(state.logs, job.feature_stride(), hn::GetLane(NoLog()));
  *state.offset = {0, false};
}

// Performer: the largest exponents of `count` keys and the state, to `now`.
HWY_INLINE void LargestLogs(const FeatureJob& job, const FeatureState& state, const float* phi,
                            std::int64_t count, float* now) {
  const FloatTag df;
  for (std::int64_t f = 0; f < job.feature_stride(); f += kFeatureLanes) {
    FloatVec largest = hn::Load(df, state.logs + f);
    if (f + kFeatureLanes <= job.features) {
      for (std::int64_t j = 0; j < count; ++j) {
        largest = hn::Max(hn::Load(df, phi + j * job.feature_stride() + f), largest);
      }
      hn::Store(largest, df, now + f);
      continue;
    }
    hn::Store(largest, df, now + f);
    for (std::int64_t j = 0; j < count; ++j) {
      for (std::int64_t g = f; g < job.features; ++g) {
        const float log = phi[j * job.feature_stride() + g];
        if (log > now[g]) now[g] = log;
      }
    }
  }
}

HWY_INLINE void ExponentsToFeatures(const FeatureJob& job, const float* logs, float* phi) {
  const FloatTag df;
  for (std::int64_t f = 0; f < job.feature_stride(); f += kFeatureLanes) {
    hn::Store(ExpAbove(hn::Load(df, phi + f), hn::Load(df, logs + f)), df, phi + f);
  }
}

void AddKeys(const FeatureJob& job, const FeatureKeys& keys, const FeatureState& state,
             std::byte* scratch) {
  Carver carver({scratch, kAnyBytes});
  const FeatureScratch s = FeatureScratch::carve(job, 0, carver);
  const std::int64_t stride = job.feature_stride();
  for (std::int64_t first = 0; first < keys.count; first += kFeatureBlock) {
    const std::int64_t count = std::min(kFeatureBlock, keys.count - first);
    LoadKeys(job, keys, first, count, state, s);
    if (job.performer) {
      LargestLogs(job, state, s.phi, count, s.logs);
      RaiseLogs(job, state, s.logs, s.factors);
      for (std::int64_t j = 0; j < count; ++j)
        ExponentsToFeatures(job, state.logs, s.phi + j * stride);
    }
    AddProduct({s.phi, 1, stride}, job.features, count, s.values, job.value_stride(),
               job.value_stride(), state.sums, job.value_stride());
  }
}

void Merge(const FeatureJob& job, const FeatureState& earlier, const FeatureState& later) {
  const FloatTag df;
  const std::int64_t width = job.value_stride();
  float shift = 0;  // brings the earlier exponents to the later offset
  if (job.performer && earlier.offset->known) {
    if (!later.offset->known) *later.offset = *earlier.offset;
    shift = static_cast<float>(later.offset->half_square - earlier.offset->half_square);
  }
  for (std::int64_t f = 0; f < job.features; ++f) {
    FloatVec keep = hn::Set(df, 1.0f), add = keep;
    if (job.performer) {
      const float a = earlier.logs[f] + shift, b = later.logs[f];
      const FloatVec now = hn::Set(df, std::max(a, b));
      keep = ExpAbove(hn::Set(df, a), now);
      add = ExpAbove(hn::Set(df, b), now);
      later.logs[f] = std::max(a, b);
    }
    for (std::int64_t c = f * width; c < (f + 1) * width; c += kFeatureLanes) {
      const FloatVec scaled = hn::Mul(hn::Load(df, later.sums + c), add);
      hn::Store(hn::MulAdd(hn::Load(df, earlier.sums + c), keep, scaled), df, later.sums + c);
    }
  }
}

// Performer: a query's exponents to its features relative to the state, in place.
HWY_INLINE void QueryFeatures(const FeatureJob& job, const FeatureState& state, float* phi) {
  const FloatTag df;
  FloatVec largest = NoLog();
  for (std::int64_t f = 0; f < job.feature_stride(); f += kFeatureLanes) {
    const FloatVec sum = hn::Add(hn::Load(df, phi + f), hn::Load(df, state.logs + f));
    hn::Store(sum, df, phi + f);
    largest = hn::Max(sum, largest);
  }
  largest = hn::MaxOfLanes(df, largest);
  for (std::int64_t f = 0; f < job.feature_stride(); f += kFeatureLanes) {
    hn::Store(ExpAbove(hn::Load(df, phi + f), largest), df, phi + f);
  }
}

// o = sums over features / their last channel; a row of zeros where that is zero.
HWY_INLINE void WriteOutput(const FeatureJob& job, const float* sums, float* o) {
  const float total = sums[job.dv];
  for (std::int64_t c = 0; c < job.dv; ++c) o[c] = total == 0 ? 0 : sums[c] / total;
}

void Read(const FeatureJob& job, const FeatureState& state, const FeatureQueries& queries,
          std::byte* scratch) {
  Carver carver({scratch, kAnyBytes});
  const FeatureScratch s = FeatureScratch::carve(job, 1, carver);
  const std::int64_t stride = job.feature_stride(), width = job.value_stride();
  for (std::int64_t first = 0; first < queries.count; first += kFeatureBlock) {
    const std::int64_t count = std::min(kFeatureBlock, queries.count - first);
    LoadRows(queries.q + first * queries.q_stride * dtype_bytes(job.dtype), job.dtype,
             queries.q_stride, count, job.d, job.query_factor, s.rows);
    Project(job, s.rows, count, s.queries);
    for (std::int64_t i = 0; i < count && job.performer; ++i) {
      QueryFeatures(job, state, s.queries + i * stride);
    }
    std::fill_n(s.outputs, count * width, 0.0f);
    AddProduct({s.queries, stride, 1}, count, job.features, state.sums, width, width, s.outputs,
               width);
    for (std::int64_t i = 0; i < count; ++i) {
      WriteOutput(job, s.outputs + i * width, queries.o + (first + i) * queries.o_stride);
    }
  }
}

// Adds one key with features `phi` to the state.
HWY_INLINE void AddKey(const FeatureJob& job, const float* phi, const float* value,
                       const FeatureState& state) {
  const FloatTag df;
  const std::int64_t width = job.value_stride();
  for (std::int64_t f = 0; f < job.features; ++f) {
    const FloatVec weight = hn::Set(df, phi[f]);
    float* const sums = state.sums + f * width;
    for (std::int64_t c = 0; c < width; c += kFeatureLanes) {
      hn::Store(hn::MulAdd(weight, hn::Load(df, value + c), hn::Load(df, sums + c)), df, sums + c);
    }
  }
}

void AddKeysAndRead(const FeatureJob& job, const FeatureKeys& keys, const FeatureState& state,
                    std::int64_t first_query, std::span<const FeatureQueries> heads,
                    std::byte* scratch) {
  Carver carver({scratch, kAnyBytes});
  const FeatureScratch s =
      FeatureScratch::carve(job, static_cast<std::int64_t>(heads.size()), carver);
  const std::int64_t stride = job.feature_stride(), width = job.value_stride();
  for (std::int64_t first = 0; first < keys.count; first += kFeatureBlock) {
    const std::int64_t count = std::min(kFeatureBlock, keys.count - first);
    // Queries [from, to) of each head stand at keys of this block.
    const std::int64_t from = std::max<std::int64_t>(first - first_query, 0);
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const std::int64_t to = std::min(first + count - first_query, heads[h].count);
      if (to <= from) continue;
      LoadRows(heads[h].q + from * heads[h].q_stride * dtype_bytes(job.dtype), job.dtype,
               heads[h].q_stride, to - from, job.d, job.query_factor, s.rows);
      Project(job, s.rows, to - from,
              s.queries + static_cast<std::int64_t>(h) * kFeatureBlock * stride);
    }
    LoadKeys(job, keys, first, count, state, s);
    for (std::int64_t j = 0; j < count; ++j) {
      float* const phi = s.phi + j * stride;
      const bool hidden = keys.mask != nullptr && keys.mask[(first + j) * keys.mask_stride] == 0;
      if (!hidden && job.performer) {
        LargestLogs(job, state, phi, 1, s.logs);
        RaiseLogs(job, state, s.logs, s.factors);
        ExponentsToFeatures(job, state.logs, phi);
      }
      if (!hidden) AddKey(job, phi, s.values + j * width, state);
      const std::int64_t query = first + j - first_query;
      for (std::size_t h = 0; h < heads.size(); ++h) {
        if (query < 0 || query >= heads[h].count) continue;
        float* const features =
            s.queries + (static_cast<std::int64_t>(h) * kFeatureBlock + query - from) * stride;
        if (job.performer) QueryFeatures(job, state, features);
        std::fill_n(s.outputs, width, 0.0f);
        AddProduct({features, stride, 1}, 1, job.features, state.sums, width, width, s.outputs,
                   width);
        WriteOutput(job, s.outputs, heads[h].o + query * heads[h].o_stride);
      }
    }
  }
}

constexpr FeatureEngine kFeatureEngine = {target_isa(HWY_TARGET), &Clear, &AddKeys, &Merge, &Read,
                                          &AddKeysAndRead};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const FeatureEngine> feature_engines() {
  static constexpr FeatureEngine kEngines[] = {ATTNLAB_EACH_TARGET(kFeatureEngine)};
  return kEngines;
}

std::int64_t feature_scratch_bytes(const FeatureJob& job, std::int64_t heads) {
  Carver carver;
  FeatureScratch::carve(job, heads, carver);
  return carver.used();
}

}  // namespace attnlab
#endif  // HWY_ONCE
