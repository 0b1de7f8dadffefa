// How the scratch of one call of StreamEngine is laid out.
#ifndef ATTNLAB_ANALYSIS_SIMD_STREAM_MEMORY_H_
#define ATTNLAB_ANALYSIS_SIMD_STREAM_MEMORY_H_

#include <cstdint>

#include "attention/simd/attend_memory.h"
#include "tensor/buffer.h"

namespace attnlab {

// Of one tile of `width` queries: what attention keeps of it, and the sums of StreamRow.
struct StreamMemory {
  TileMemory tile;  // [width] each from here on
  float *smallest, *unscaled, *first;
  double *visible, *ties, *small, *weighted;

  static StreamMemory carve(const AttendJob& job, std::int64_t width, Carver& carver) {
    return {TileMemory::carve(job, width, carver),
            carver.take<float>(width),
            carver.take<float>(width),
            carver.take<float>(width),
            carver.take<double>(width),
            carver.take<double>(width),
            carver.take<double>(width),
            carver.take<double>(width)};
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_SIMD_STREAM_MEMORY_H_
