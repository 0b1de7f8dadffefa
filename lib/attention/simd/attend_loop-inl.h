// The loop over blocks of keys that the float32 and the bfloat16 engines share.
// Dao, FlashAttention-2, 2023, Algorithm 1: all tiles of a group of queries pass over a block of
// keys before the next one is taken up.
//
// A Family has the arithmetic:
//   kWidth                                    queries of its widest tile
//   Shared, carve_shared(job, carver)         memory that the tiles share
//   carve_tile(job, carver)                   the state of one tile
//   load(job, run, from, to, shared, stages)  keys and values [from, to) as its tiles read them
//   with_tile<Stages>(job, rows, mine, memory, shared, body)   calls body with the tile, which has
//                                             Start(), Process(block) and Finish()
#if defined(ATTNLAB_ATTENTION_SIMD_ATTEND_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_ATTEND_LOOP_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_ATTEND_LOOP_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_ATTEND_LOOP_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "attention/simd/attend.h"
#include "attention/simd/attend_tiles-inl.h"
#include "attention/simd/key_block-inl.h"
#include "tensor/buffer.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

template <class Family>
std::int64_t ScratchBytes(const AttendJob& job, std::int64_t rows) {
  Carver tile, shared;
  Family::carve_tile(job, tile);
  Family::carve_shared(job, shared);
  return tile.used() * ((rows + Family::kWidth - 1) / Family::kWidth) + shared.used();
}

template <class Family, class Stages>
HWY_INLINE void AttendIn(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
                         std::byte* scratch) {
  constexpr std::int64_t kWidth = Family::kWidth;
  Carver sizing;
  Family::carve_tile(job, sizing);
  const std::int64_t tile_bytes = sizing.used();
  const std::int64_t tiles = (rows.count + kWidth - 1) / kWidth;
  Carver shared_carver({scratch + tiles * tile_bytes, SIZE_MAX / 2});
  const auto shared = Family::carve_shared(job, shared_carver);
  Family family;
  const auto every_tile = [&](auto&& body) HWY_ATTR {
    for (std::int64_t t = 0; t < tiles; ++t) {
      Carver carver({scratch + t * tile_bytes, static_cast<std::size_t>(tile_bytes)});
      const TileRows mine{t * kWidth, std::min(kWidth, rows.count - t * kWidth)};
      family.template with_tile<Stages>(job, rows, mine, Family::carve_tile(job, carver), shared,
                                        body);
    }
  };

  every_tile([](const auto& tile) HWY_ATTR { tile.Start(); });
  const std::int64_t block_keys = key_block(job.d, job.dv);
  for (const KeyRun& run : runs) {
    const std::int64_t low = std::max<std::int64_t>(run.band.low, 0);
    const std::int64_t high = std::min(run.count, run.band.high_of(rows.count - 1));
    // Blocks begin at multiples of their size whatever rows see, so that a row's bits do not
    // depend on the rows beside it.
    for (std::int64_t begin = low / block_keys * block_keys; begin < high; begin += block_keys) {
      auto block = family.load(job, run, std::max(begin, low), std::min(begin + block_keys, high),
                               shared, Stages(job.left_out));
      every_tile([&](const auto& tile) HWY_ATTR { tile.Process(block); });
    }
  }
  every_tile([](const auto& tile) HWY_ATTR { tile.Finish(); });
}

template <class Family>
void Attend(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
            std::byte* scratch) {
  if (HWY_LIKELY(job.left_out.empty())) {
    return AttendIn<Family, AllStages>(job, rows, runs, scratch);
  }
  AttendIn<Family, SomeStages>(job, rows, runs, scratch);
}

// Calls body with the number of vectors that the rows need, as a constant.
template <class Body>
HWY_INLINE void WithVectors(const TileRows& mine, Body&& body) {
  const std::int64_t vectors = (mine.count + kLanes - 1) / kLanes;
  if (vectors == 3) {
    body(std::integral_constant<int, 3>());
  } else if (vectors == 2) {
    body(std::integral_constant<int, 2>());
  } else {
    body(std::integral_constant<int, 1>());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
