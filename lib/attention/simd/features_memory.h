// How the scratch of the functions of FeatureEngine is laid out.
#ifndef ATTNLAB_ATTENTION_SIMD_FEATURES_MEMORY_H_
#define ATTNLAB_ATTENTION_SIMD_FEATURES_MEMORY_H_

#include <cstdint>

#include "attention/simd/features.h"
#include "tensor/buffer.h"

namespace attnlab {

struct FeatureScratch {
  float* rows;     // [block][whole_vectors(d)] widened keys or queries, times their factor
  float* phi;      // [block][feature_stride] of keys
  float* values;   // [block][value_stride]
  float* logs;     // [feature_stride] the largest exponents to come
  float* factors;  // [feature_stride] what sums are multiplied by then
  float* queries;  // [heads][block][feature_stride]
  float* outputs;  // [block][value_stride]

  static FeatureScratch carve(const FeatureJob& job, std::int64_t heads, Carver& carver) {
    return {carver.take<float>(kFeatureBlock * whole_vectors(job.d)),
            carver.take<float>(kFeatureBlock * job.feature_stride()),
            carver.take<float>(kFeatureBlock * job.value_stride()),
            carver.take<float>(job.feature_stride()),
            carver.take<float>(job.feature_stride()),
            carver.take<float>(heads * kFeatureBlock * job.feature_stride()),
            carver.take<float>(kFeatureBlock * job.value_stride())};
  }
};

inline constexpr std::size_t kAnyBytes = SIZE_MAX / 2;  // the caller gave enough

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_FEATURES_MEMORY_H_
