// Attention of a group of queries over runs of keys with online softmax; scores are never stored
// beyond one block of keys.
// Dao, FlashAttention-2, 2023, Algorithm 1 (the loop over blocks, one rescaling a block); running
// maximum from Milakov & Gimelshein, Online normalizer calculation for softmax, 2018.
// q [rows, D]   k [keys, D]   v [keys, Dv]   o [rows, Dv]; attend_tiles-inl.h has the layout.
#include "attention/simd/attend.h"

#include <bit>

#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/attend.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/attend_tiles-inl.h"
#include "attention/simd/exp2-inl.h"
#include "attention/simd/widen-inl.h"
#include "machine/target_table.h"

#ifndef ATTNLAB_ATTEND_ONCE  // what does not depend on the target
#define ATTNLAB_ATTEND_ONCE
namespace attnlab {
namespace {

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

}  // namespace
}  // namespace attnlab
#endif  // ATTNLAB_ATTEND_ONCE

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// Queries of a tile: rows [first, first + count) of the group.
struct TileRows {
  std::int64_t first, count;
};

// Keys [begin, end) of a run, with their k and v as float32.
class KeyBlock {
 public:
  KeyBlock(const KeyRun& of, std::int64_t from, std::int64_t to) : run(of), begin(from), end(to) {}
  const KeyRun& run;
  const std::int64_t begin, end;
  const float* k = nullptr;
  const float* v = nullptr;
  std::int64_t k_stride = 0, v_stride = 0;

  // Whether a NaN or Inf is among the first `channels` of each value row: asked only where some
  // queries do not see some keys, and looked up once for all tiles.
  bool HasNonfinite(std::int64_t channels) {
    if (nonfinite_ != Known::kNot) return nonfinite_ == Known::kYes;
    std::uint32_t found = 0;
    for (std::int64_t j = 0; j < end - begin; ++j) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto bits = std::bit_cast<std::uint32_t>(v[j * v_stride + c]);
        found |= static_cast<std::uint32_t>((bits & 0x7F800000u) == 0x7F800000u);
      }
    }
    nonfinite_ = found != 0 ? Known::kYes : Known::kNo;
    return found != 0;
  }

 private:
  enum class Known { kNot, kNo, kYes };
  Known nonfinite_ = Known::kNot;
};

template <int kVectors>
struct Tile {
  static constexpr std::int64_t kWidth = kVectors * kLanes;

  const AttendJob& job;
  const AttendRows& rows;
  const TileRows mine;
  const TileMemory memory;
  const SharedMemory shared;

  const std::byte* QueryRow(std::int64_t r) const {
    return rows.q + (mine.first + r) * rows.q_stride * dtype_bytes(job.dtype);
  }

  template <class T>
  HWY_INLINE void PackQueries() const {
    for (std::int64_t r = 0; r < kWidth; ++r) {
      if (r >= mine.count) {
        for (std::int64_t c = 0; c < job.d; ++c) memory.q[c * kWidth + r] = 0;
        continue;
      }
      const T* const row = reinterpret_cast<const T*>(QueryRow(r));
      for (std::int64_t c = 0; c < job.d; ++c) {
        memory.q[c * kWidth + r] = ToFloat(row[c]) * job.query_factor;
      }
    }
  }

  HWY_NOINLINE void Start() const {
    if (job.dtype == Dtype::kBf16) {
      PackQueries<Bf16>();
    } else if (job.dtype == Dtype::kF16) {
      PackQueries<F16>();
    } else {
      PackQueries<float>();
    }
    for (std::int64_t i = 0; i < job.dv * kWidth; ++i) memory.o[i] = 0;
    for (std::int64_t r = 0; r < kWidth; ++r) {
      memory.largest[r] = hn::GetLane(Hidden());
      memory.sum[r] = 0;
    }
    if (!rows.resume) return;
    for (std::int64_t r = 0; r < mine.count; ++r) {
      const std::int64_t row = mine.first + r;
      memory.largest[r] = rows.largest[row * rows.stat_stride];
      memory.sum[r] = rows.sums[row * rows.stat_stride];
      for (std::int64_t c = 0; c < job.dv; ++c) {
        memory.o[c * kWidth + r] = rows.o[row * rows.o_stride + c];
      }
    }
  }

  HWY_NOINLINE void Finish() const {
    const FloatTag df;
    if (!rows.suspend) {
      FloatVec inverse[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        const FloatVec sum = hn::Load(df, memory.sum + v * kLanes);
        inverse[v] = hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(df)),  // every key was hidden
                                        hn::Div(hn::Set(df, 1.0f), sum));
      }
      for (std::int64_t c = 0; c < job.dv; ++c) {
        for (int v = 0; v < kVectors; ++v) {
          float* const at = memory.o + c * kWidth + v * kLanes;
          hn::Store(hn::Mul(hn::Load(df, at), inverse[v]), df, at);
        }
      }
    }
    for (std::int64_t r = 0; r < mine.count; ++r) {
      const std::int64_t row = mine.first + r;
      float* const out = rows.o + row * rows.o_stride;
      for (std::int64_t c = 0; c < job.dv; ++c) out[c] = memory.o[c * kWidth + r];
      if (rows.suspend) {
        rows.largest[row * rows.stat_stride] = memory.largest[r];
        rows.sums[row * rows.stat_stride] = memory.sum[r];
      }
    }
  }

  // Fills the tile's part of shared.bias for keys [begin, begin + keys) of the run.
  HWY_NOINLINE void FillBias(const KeyRun& run, std::int64_t begin, std::int64_t keys) const {
    const float hidden = hn::GetLane(Hidden());
    for (std::int64_t r = 0; r < kWidth; ++r) {
      const std::int64_t row = mine.first + std::min(r, mine.count - 1);
      const std::int64_t start = row * run.mask_row_stride + begin * run.mask_key_stride;
      float* const to = shared.bias + r;
      if (job.mask == MaskKind::kBoolean) {
        const auto* const mask = static_cast<const std::uint8_t*>(run.mask) + start;
        for (std::int64_t j = 0; j < keys; ++j) {
          to[j * kWidth] = mask[j * run.mask_key_stride] != 0 ? 0.0f : hidden;
        }
      } else {
        const auto* const mask = static_cast<const float*>(run.mask) + start;
        for (std::int64_t j = 0; j < keys; ++j) to[j * kWidth] = mask[j * run.mask_key_stride];
      }
    }
  }

  HWY_INLINE void SetCut(const Band& band, std::int64_t begin, std::int64_t keys,
                         Cut<kVectors>& cut) const {
    HWY_ALIGN float low[kWidth], high[kWidth];
    for (std::int64_t r = 0; r < kWidth; ++r) {
      const auto within = [&](std::int64_t j) {
        return static_cast<float>(std::clamp<std::int64_t>(j - begin, 0, keys));
      };
      low[r] = within(band.low_of(mine.first + r));
      high[r] = within(band.high_of(mine.first + r));
    }
    for (int v = 0; v < kVectors; ++v) {
      cut.low[v] = hn::Load(FloatTag(), low + v * kLanes);
      cut.high[v] = hn::Load(FloatTag(), high + v * kLanes);
    }
  }

  // One tile of scores, cut only where something may be hidden: before key `whole_begin`, from
  // `whole_end` on, or anywhere under a mask (an empty range).
  template <int kKeys>
  HWY_INLINE void Score(const float* k, std::int64_t k_stride, std::int64_t key,
                        const Cut<kVectors>& cut, std::int64_t whole_begin, std::int64_t whole_end,
                        FloatVec (&largest)[kVectors]) const {
    if (key >= whole_begin && key + kKeys <= whole_end) {
      ScoreTile<kVectors, kKeys, false>(memory.q, job.d, k, k_stride, key, cut, shared.scores,
                                        largest);
    } else {
      ScoreTile<kVectors, kKeys, true>(memory.q, job.d, k, k_stride, key, cut, shared.scores,
                                       largest);
    }
  }

  // Scores to weights, in place, and their sums. kMarkHidden: hidden keys get -0 instead of 0.
  template <bool kMarkHidden>
  HWY_INLINE void Weigh(std::int64_t keys, const FloatVec (&largest)[kVectors],
                        FloatVec (&sum)[kVectors]) const {
    const FloatTag df;
    const FloatVec exponent = hn::Set(df, job.exponent);
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(df);
    for (std::int64_t j = 0; j < keys; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        float* const at = shared.scores + j * kWidth + v * kLanes;
        const FloatVec score = hn::Load(df, at);
        FloatVec weight;
        if (HWY_UNLIKELY(job.argmax)) {
          weight = hn::IfThenElse(hn::Eq(score, largest[v]), hn::Set(df, 1.0f),
                                  hn::IfThenZeroElse(hn::Eq(score, score), score));  // NaN stays
        } else {
          weight = Exp2(hn::Mul(hn::Sub(score, largest[v]), exponent));
        }
        if (kMarkHidden) {
          weight = hn::IfThenElse(hn::Eq(score, Hidden()), hn::Set(df, -0.0f), weight);
        }
        sum[v] = hn::Add(sum[v], weight);
        hn::Store(weight, df, at);
      }
    }
  }

  // Brings sums made relative to the old maximum to the new one.
  HWY_INLINE void Rescale(const FloatVec (&before)[kVectors], const FloatVec (&now)[kVectors],
                          FloatVec (&factor)[kVectors]) const {
    const FloatTag df;
    for (int v = 0; v < kVectors; ++v) {
      factor[v] = job.argmax ? hn::IfThenElseZero(hn::Eq(before[v], now[v]), hn::Set(df, 1.0f))
                             : Exp2(hn::Mul(hn::Sub(before[v], now[v]), hn::Set(df, job.exponent)));
    }
    for (std::int64_t c = 0; c < job.dv; ++c) {
      for (int v = 0; v < kVectors; ++v) {
        float* const at = memory.o + c * kWidth + v * kLanes;
        hn::Store(hn::Mul(hn::Load(df, at), factor[v]), df, at);
      }
    }
  }

  HWY_NOINLINE void Process(KeyBlock& block) const {
    const FloatTag df;
    const Band& band = block.run.band;
    const std::int64_t last = mine.first + mine.count - 1;
    const std::int64_t begin = std::max(block.begin, band.low_of(mine.first));
    const std::int64_t end = std::min(block.end, band.high_of(last));
    const std::int64_t keys = end - begin;
    if (keys <= 0) return;
    const float* const k = block.k + (begin - block.begin) * block.k_stride;
    const float* const v_rows = block.v + (begin - block.begin) * block.v_stride;

    // Keys [whole_begin, whole_end) are seen by every query of the tile.
    std::int64_t whole_begin = band.low_of(last) - begin;
    std::int64_t whole_end = band.high_of(mine.first) - begin;
    Cut<kVectors> cut;
    const bool masked = job.mask != MaskKind::kNone;
    if (masked) {
      FillBias(block.run, begin, keys);
      cut.bias = shared.bias;
      cut.score_factor = job.score_factor;
      whole_end = whole_begin;
    }
    const bool is_cut = whole_begin > 0 || whole_end < keys;
    if (is_cut) SetCut(band, begin, keys, cut);

    FloatVec before[kVectors], now[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      before[v] = hn::Load(df, memory.largest + v * kLanes);
      now[v] = before[v];
    }
    constexpr int kKeys = kTileKeys<kVectors>;
    if (keys >= kKeys) {
      std::int64_t j = 0;
      for (; j + kKeys <= keys; j += kKeys) {
        Score<kKeys>(k, block.k_stride, j, cut, whole_begin, whole_end, now);
      }
      if (j < keys) {  // the last tile overlaps the one before it and repeats its scores
        Score<kKeys>(k, block.k_stride, keys - kKeys, cut, whole_begin, whole_end, now);
      }
    } else {
      for (std::int64_t j = 0; j < keys; ++j) {
        Score<1>(k, block.k_stride, j, cut, whole_begin, whole_end, now);
      }
    }

    bool grown = false;
    FloatVec base[kVectors], factor[kVectors], added[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(now[v], df, memory.largest + v * kLanes);
      grown = grown || !hn::AllTrue(df, hn::Eq(now[v], before[v]));
      // While every key is hidden the maximum is -inf, and differences to it would be NaN.
      base[v] = hn::IfThenZeroElse(hn::Eq(now[v], Hidden()), now[v]);
      factor[v] = hn::Set(df, 1.0f);
    }
    if (grown) Rescale(before, base, factor);
    const bool skip_hidden = is_cut && block.HasNonfinite(job.dv);
    if (HWY_UNLIKELY(skip_hidden)) {
      Weigh<true>(keys, base, added);
    } else {
      Weigh<false>(keys, base, added);
    }
    for (int v = 0; v < kVectors; ++v) {
      float* const sum = memory.sum + v * kLanes;
      hn::Store(hn::MulAdd(hn::Load(df, sum), factor[v], added[v]), df, sum);
    }
    if (HWY_UNLIKELY(skip_hidden)) {
      SumTiles<kVectors, kTileChannels<kVectors>, true>(shared.scores, keys, v_rows, block.v_stride,
                                                        job.dv, memory.o);
    } else {
      SumTiles<kVectors, kTileChannels<kVectors>, false>(shared.scores, keys, v_rows,
                                                         block.v_stride, job.dv, memory.o);
    }
  }
};

// Calls body with the tile that has as many vectors as its rows need.
template <class Body>
HWY_INLINE void WithTile(const AttendJob& job, const AttendRows& rows, const TileRows& mine,
                         const TileMemory& memory, const SharedMemory& shared, Body&& body) {
  const std::int64_t vectors = (mine.count + kLanes - 1) / kLanes;
  if (vectors == 3) {
    body(Tile<3>{job, rows, mine, memory, shared});
  } else if (vectors == 2) {
    body(Tile<2>{job, rows, mine, memory, shared});
  } else {
    body(Tile<1>{job, rows, mine, memory, shared});
  }
}

void Attend(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
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
      WithTile(job, rows, mine, TileMemory::carve(job, kWidth, carver), shared, body);
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
        WidenRows(k, job.dtype, run.k_stride, to - from, job.d, shared.k);
        WidenRows(v, job.dtype, run.v_stride, to - from, job.dv, shared.v);
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
