// One entry for each target that foreach_target.h compiled a file for, as a table of constants.
// Include after hwy/highway.h. Only addresses and numbers may stand in the entries: code of a
// target that this processor lacks must not run, not even to build the table.
#ifndef ATTNLAB_MACHINE_TARGET_TABLE_H_
#define ATTNLAB_MACHINE_TARGET_TABLE_H_

#include <hwy/highway.h>

#include "machine/isa.h"

#if HWY_TARGETS & HWY_SSE4
#define ATTNLAB_OF_SSE4(symbol) N_SSE4::symbol,
#else
#define ATTNLAB_OF_SSE4(symbol)
#endif
#if HWY_TARGETS & HWY_NEON
#define ATTNLAB_OF_NEON(symbol) N_NEON::symbol,
#else
#define ATTNLAB_OF_NEON(symbol)
#endif
#if HWY_TARGETS & HWY_AVX2
#define ATTNLAB_OF_AVX2(symbol) N_AVX2::symbol,
#else
#define ATTNLAB_OF_AVX2(symbol)
#endif
#if HWY_TARGETS & HWY_AVX3
#define ATTNLAB_OF_AVX3(symbol) N_AVX3::symbol,
#else
#define ATTNLAB_OF_AVX3(symbol)
#endif

// constexpr Entry kTable[] = {ATTNLAB_EACH_TARGET(kEntry)};  in the namespace that holds N_AVX2 ...
#define ATTNLAB_EACH_TARGET(symbol) \
  ATTNLAB_OF_SSE4(symbol) ATTNLAB_OF_NEON(symbol) ATTNLAB_OF_AVX2(symbol) ATTNLAB_OF_AVX3(symbol)

namespace attnlab {

// The name of a Highway target, as HWY_TARGET.
constexpr Isa target_isa(long long target) {
  return target == HWY_AVX3 ? Isa::kAvx512 : target == HWY_AVX2 ? Isa::kAvx2 : kBaseIsa;
}

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_TARGET_TABLE_H_
