// How the scratch of one call of AttendEngine::attend is laid out.
#ifndef ATTNLAB_ATTENTION_SIMD_ATTEND_MEMORY_H_
#define ATTNLAB_ATTENTION_SIMD_ATTEND_MEMORY_H_

#include <cstdint>

#include "attention/simd/attend.h"
#include "tensor/buffer.h"

namespace attnlab {

// The state of one tile of `width` queries, and what all tiles of a group share.
struct TileMemory {
  float* q;        // [D][width], multiplied by query_factor
  float* o;        // [Dv][width], unnormalised
  float* largest;  // [width] the largest score so far
  float* sum;      // [width] the sum of weights relative to it

  static TileMemory carve(const AttendJob& job, std::int64_t width, Carver& carver) {
    return {carver.take<float>(job.d * width), carver.take<float>(job.dv * width),
            carver.take<float>(width), carver.take<float>(width)};
  }
};
struct SharedMemory {
  float* scores;  // [block][width]
  float* bias;    // [block][width]
  float* k;       // [block][D] and
  float* v;       // [block][Dv], for half types

  static SharedMemory carve(const AttendJob& job, std::int64_t width, Carver& carver) {
    const std::int64_t block = key_block(job.d, job.dv);
    const std::int64_t widened = job.dtype == Dtype::kF32 ? 0 : block;
    return {carver.take<float>(block * width),
            carver.take<float>(job.mask == MaskKind::kNone ? 0 : block * width),
            carver.take<float>(widened * job.d), carver.take<float>(widened * job.dv)};
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_ATTEND_MEMORY_H_
