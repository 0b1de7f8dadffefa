// The linear kernels: keys summed in chunks, the sums put together, queries held against them.
#ifndef ATTNLAB_ATTENTION_FEATURE_GROUPS_H_
#define ATTNLAB_ATTENTION_FEATURE_GROUPS_H_

#include "attention/kernel.h"
#include "attention/simd/features.h"

namespace attnlab {

// Completes an entry that has name, isa, op (linear or performer), summary and source.
Kernel feature_groups_kernel(const FeatureEngine& engine, Kernel entry);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_FEATURE_GROUPS_H_
