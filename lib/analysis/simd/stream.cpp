// Streamed statistics of a group of queries over a run of keys.
// q [rows, D]   k [keys, D]; scores are never stored beyond one block of keys.
#include "analysis/simd/stream.h"

#include "analysis/simd/stream_memory.h"
#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analysis/simd/stream.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "analysis/simd/stream_count-inl.h"
#include "analysis/simd/stream_tile-inl.h"
#include "attention/simd/widen-inl.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

inline constexpr std::int64_t kTileWidth = kMaxVectors * kLanes;

// The tiles of a group in its scratch.
class StreamTiles {
 public:
  StreamTiles(const AttendJob& job, const AttendRows& rows, bool careful, std::byte* scratch)
      : job_(job), rows_(rows), careful_(careful), scratch_(scratch) {
    Carver sizing;
    StreamMemory::carve(job, kTileWidth, sizing);
    tile_bytes_ = sizing.used();
    count_ = (rows.count + kTileWidth - 1) / kTileWidth;
    Carver carver({scratch + count_ * tile_bytes_, SIZE_MAX / 2});
    shared_ = SharedMemory::carve(job, kTileWidth, carver);
  }

  std::int64_t count() const { return count_; }
  TileRows RowsOf(std::int64_t t) const {
    return {t * kTileWidth, std::min(kTileWidth, rows_.count - t * kTileWidth)};
  }

  // Calls body with tile number t, with as many vectors as its rows need.
  template <class Body>
  HWY_INLINE void With(std::int64_t t, Body&& body) const {
    Carver carver({scratch_ + t * tile_bytes_, static_cast<std::size_t>(tile_bytes_)});
    const StreamMemory memory = StreamMemory::carve(job_, kTileWidth, carver);
    const TileRows mine = RowsOf(t);
    const std::int64_t vectors = (mine.count + kLanes - 1) / kLanes;
    if (vectors == 3) {
      body(StreamTile<3>{
          {job_, rows_, mine, memory.tile, shared_, AllStages({})}, memory, careful_});
    } else if (vectors == 2) {
      body(StreamTile<2>{
          {job_, rows_, mine, memory.tile, shared_, AllStages({})}, memory, careful_});
    } else {
      body(StreamTile<1>{
          {job_, rows_, mine, memory.tile, shared_, AllStages({})}, memory, careful_});
    }
  }

  // Calls body with each block of the keys [low, high) of the run, widened to float32. Blocks begin
  // at multiples of their size, so that a row's bits do not depend on the rows beside it.
  template <class Body>
  HWY_INLINE void Blocks(const KeyRun& run, std::int64_t low, std::int64_t high,
                         Body&& body) const {
    const std::int64_t block_keys = key_block(job_.d, job_.dv);
    for (std::int64_t begin = low / block_keys * block_keys; begin < high; begin += block_keys) {
      const std::int64_t from = std::max(begin, low), to = std::min(begin + block_keys, high);
      const std::byte* const k = run.k + from * run.k_stride * dtype_bytes(job_.dtype);
      KeyBlock block(run, from, to);
      if (job_.dtype == Dtype::kF32) {
        block.k = reinterpret_cast<const float*>(k);
        block.k_stride = run.k_stride;
      } else {
        WidenRows(k, job_.dtype, run.k_stride, to - from, job_.d, shared_.k);
        block.k = shared_.k;
        block.k_stride = job_.d;
      }
      body(block);
    }
  }

  // The keys of the run that any row of the group sees, from `low` on and before `high`.
  std::pair<std::int64_t, std::int64_t> Seen(const KeyRun& run, std::int64_t low,
                                             std::int64_t high) const {
    return {std::max(low, run.band.low),
            std::min({high, run.count, run.band.high_of(rows_.count - 1)})};
  }

 private:
  const AttendJob& job_;
  const AttendRows& rows_;
  const bool careful_;
  std::byte* const scratch_;
  std::int64_t tile_bytes_ = 0, count_ = 0;
  SharedMemory shared_{};
};

void FirstPass(const AttendJob& job, const AttendRows& rows, const KeyRun& run, bool careful,
               StreamRow* out, std::byte* scratch) {
  const StreamTiles tiles(job, rows, careful, scratch);
  const auto every_tile = [&](auto&& body) HWY_ATTR {
    for (std::int64_t t = 0; t < tiles.count(); ++t) tiles.With(t, body);
  };
  every_tile([](const auto& tile) HWY_ATTR { tile.Start(); });
  const auto [low, high] = tiles.Seen(run, 0, run.count);
  tiles.Blocks(run, low, high, [&](const KeyBlock& block) HWY_ATTR {
    every_tile([&](const auto& tile) HWY_ATTR { tile.Process(block); });
  });
  every_tile([out](const auto& tile) HWY_ATTR { tile.Finish(out); });
}

void SecondPass(const AttendJob& job, const AttendRows& rows, const KeyRun& run, bool careful,
                const StreamLimits* limits, StreamSums& sums, std::byte* scratch) {
  const StreamTiles tiles(job, rows, careful, scratch);
  const auto [low, high] = tiles.Seen(run, sums.first, sums.first + sums.count);
  const auto is_wanted = [&](std::int64_t t) {
    if (sums.weights != nullptr) return true;
    const TileRows mine = tiles.RowsOf(t);
    return std::any_of(
        limits + mine.first, limits + mine.first + mine.count,
        [](const StreamLimits& of) { return of.below > -std::numeric_limits<float>::infinity(); });
  };
  for (std::int64_t t = 0; t < tiles.count(); ++t) {
    if (!is_wanted(t)) continue;
    tiles.With(t, [](const auto& tile) HWY_ATTR { tile.Start(); });
    tiles.Blocks(run, low, high, [&](const KeyBlock& block) HWY_ATTR {
      tiles.With(t, [&](const auto& tile) HWY_ATTR { CountBlock(tile, block, limits, sums); });
    });
  }
}

constexpr StreamEngine kStreamEngine = {target_isa(HWY_TARGET), kTileWidth, &FirstPass,
                                        &SecondPass};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const StreamEngine> stream_engines() {
  static constexpr StreamEngine kEngines[] = {ATTNLAB_EACH_TARGET(kStreamEngine)};
  return kEngines;
}

std::int64_t stream_scratch_bytes(const StreamEngine& engine, const AttendJob& job,
                                  std::int64_t rows) {
  const std::int64_t width = engine.tile_queries;
  Carver tile, shared;
  StreamMemory::carve(job, width, tile);
  SharedMemory::carve(job, width, shared);
  return tile.used() * ((rows + width - 1) / width) + shared.used();
}

}  // namespace attnlab
#endif  // HWY_ONCE
