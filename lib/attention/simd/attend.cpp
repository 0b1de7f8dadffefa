// Attention of a group of queries over runs of keys with online softmax; scores are never stored
// beyond one block of keys.
// Dao, FlashAttention-2, 2023, Algorithm 1 (the loop over blocks, one rescaling a block); running
// maximum from Milakov & Gimelshein, Online normalizer calculation for softmax, 2018.
// q [rows, D]   k [keys, D]   v [keys, Dv]   o [rows, Dv]; attend_tiles-inl.h has the layout.
#include "attention/simd/attend.h"

#include "attention/simd/attend_memory.h"
#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/attend.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/attend_block-inl.h"
#include "attention/simd/widen-inl.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// Calls body with the tile that has as many vectors as its rows need.
template <class Stages, class Body>
HWY_INLINE void WithTile(const AttendJob& job, const AttendRows& rows, const TileRows& mine,
                         const TileMemory& memory, const SharedMemory& shared, Body&& body) {
  const Stages stages(job.left_out);
  const std::int64_t vectors = (mine.count + kLanes - 1) / kLanes;
  if (vectors == 3) {
    body(Tile<3, Stages>{job, rows, mine, memory, shared, stages});
  } else if (vectors == 2) {
    body(Tile<2, Stages>{job, rows, mine, memory, shared, stages});
  } else {
    body(Tile<1, Stages>{job, rows, mine, memory, shared, stages});
  }
}

template <class Stages>
HWY_INLINE void AttendIn(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
                         std::byte* scratch) {
  constexpr std::int64_t kWidth = kMaxVectors * kLanes;
  Carver sizing;
  TileMemory::carve(job, kWidth, sizing);
  const std::int64_t tile_bytes = sizing.used();
  const std::int64_t tiles = (rows.count + kWidth - 1) / kWidth;
  const auto every_tile = [&](auto&& body) HWY_ATTR {
    Carver shared_carver({scratch + tiles * tile_bytes, SIZE_MAX / 2});
    const SharedMemory shared = SharedMemory::carve(job, kWidth, shared_carver);
    for (std::int64_t t = 0; t < tiles; ++t) {
      Carver carver({scratch + t * tile_bytes, static_cast<std::size_t>(tile_bytes)});
      const TileRows mine{t * kWidth, std::min(kWidth, rows.count - t * kWidth)};
      WithTile<Stages>(job, rows, mine, TileMemory::carve(job, kWidth, carver), shared, body);
    }
  };

  every_tile([](const auto& tile) HWY_ATTR { tile.Start(); });
  Carver shared_carver({scratch + tiles * tile_bytes, SIZE_MAX / 2});
  const SharedMemory shared = SharedMemory::carve(job, kWidth, shared_carver);
  const std::int64_t block_keys = key_block(job.d, job.dv);
  for (const KeyRun& run : runs) {
    const std::int64_t low = std::max<std::int64_t>(run.band.low, 0);
    const std::int64_t high = std::min(run.count, run.band.high_of(rows.count - 1));
    // Blocks begin at multiples of their size whatever rows see, so that a row's bits do not
    // depend on the rows beside it.
    for (std::int64_t begin = low / block_keys * block_keys; begin < high; begin += block_keys) {
      const std::int64_t from = std::max(begin, low), to = std::min(begin + block_keys, high);
      const std::int64_t bytes = dtype_bytes(job.dtype);
      const std::byte* const k = run.k + from * run.k_stride * bytes;
      const std::byte* const v = run.v + from * run.v_stride * bytes;
      KeyBlock block(run, from, to);
      if (job.dtype == Dtype::kF32) {
        block.k = reinterpret_cast<const float*>(k);
        block.v = reinterpret_cast<const float*>(v);
        block.k_stride = run.k_stride;
        block.v_stride = run.v_stride;
      } else {
        if (Stages(job.left_out).has(Stage::kConversion)) {
          WidenRows(k, job.dtype, run.k_stride, to - from, job.d, shared.k);
          WidenRows(v, job.dtype, run.v_stride, to - from, job.dv, shared.v);
        }
        block.k = shared.k;
        block.v = shared.v;
        block.k_stride = job.d;
        block.v_stride = job.dv;
      }
      every_tile([&](const auto& tile) HWY_ATTR { tile.Process(block); });
    }
  }
  every_tile([](const auto& tile) HWY_ATTR { tile.Finish(); });
}

void Attend(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
            std::byte* scratch) {
  if (HWY_LIKELY(job.left_out.empty())) return AttendIn<AllStages>(job, rows, runs, scratch);
  AttendIn<SomeStages>(job, rows, runs, scratch);
}

constexpr AttendEngine kAttendEngine = {target_isa(HWY_TARGET), kLanes, kMaxVectors* kLanes,
                                        &Attend};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const AttendEngine> attend_engines() {
  static constexpr AttendEngine kEngines[] = {ATTNLAB_EACH_TARGET(kAttendEngine)};
  return kEngines;
}

std::int64_t attend_scratch_bytes(const AttendEngine& engine, const AttendJob& job,
                                  std::int64_t rows) {
  const std::int64_t width = engine.tile_queries;
  Carver tile, shared;
  TileMemory::carve(job, width, tile);
  SharedMemory::carve(job, width, shared);
  return tile.used() * ((rows + width - 1) / width) + shared.used();
}

}  // namespace attnlab
#endif  // HWY_ONCE
