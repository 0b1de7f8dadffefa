// How the scratch of one call of a bfloat16 engine is laid out.
#ifndef ATTNLAB_ATTENTION_SIMD_BF16_MEMORY_H_
#define ATTNLAB_ATTENTION_SIMD_BF16_MEMORY_H_

#include <cstdint>

#include "attention/simd/attend_memory.h"

namespace attnlab {

// Sizes in whole tiles of 16 rows of 16 pairs: what is beyond the problem's own is zeros.
struct Bf16Sizes {
  std::int64_t pairs;     // of channels of q and k
  std::int64_t channels;  // of v
  std::int64_t keys;      // of a block
  std::int64_t v_stride;  // pairs of keys from channel to channel of the transposed values

  explicit Bf16Sizes(const AttendJob& job)
      : pairs((job.d + 31) / 32 * 16),
        channels((job.dv + 15) / 16 * 16),
        keys(key_block(job.d, job.dv)),
        v_stride(keys / 2 + 16) {}  // not a power of two: rows would share the sets of a cache
};
inline constexpr std::int64_t kSubBlock = 64;  // keys between two looks at the maximum, in tiles

// The state of one tile of queries, as TileMemory; q holds pairs of channels, [pairs][width].
inline TileMemory carve_bf16_tile(const AttendJob& job, std::int64_t width, Carver& carver) {
  const Bf16Sizes sizes(job);
  return {carver.take<float>(sizes.pairs * width), carver.take<float>(sizes.channels * width),
          carver.take<float>(width), carver.take<float>(width)};
}

// What all tiles of a group share.
struct Bf16SharedMemory {
  SharedMemory floats;     // scores [keys][width] and bias
  float* next_scores;      // [sub-block][width]
  std::uint32_t* weights;  // [keys / 2][width], pairs of keys
  std::uint32_t* k;        // [keys][pairs], where keys cannot be read as they lie
  std::uint32_t* v;        // [keys / 2][channels], pairs of keys
  std::uint32_t* v_rows;   // [channels][v_stride]: the same, transposed

  static Bf16SharedMemory carve(const AttendJob& job, std::int64_t width, Carver& carver) {
    const Bf16Sizes sizes(job);
    const std::int64_t bias = job.mask == MaskKind::kNone ? 0 : sizes.keys * width;
    return {{carver.take<float>(sizes.keys * width), carver.take<float>(bias), nullptr, nullptr},
            carver.take<float>(kSubBlock * width),
            carver.take<std::uint32_t>(sizes.keys / 2 * width),
            carver.take<std::uint32_t>(sizes.keys * sizes.pairs),
            carver.take<std::uint32_t>(sizes.keys / 2 * sizes.channels),
            carver.take<std::uint32_t>(sizes.channels * sizes.v_stride)};
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_BF16_MEMORY_H_
