// One tile of queries against one block of keys: scores, and the sums that statistics need.
// Online maximum and denominator after Milakov & Gimelshein, Online normalizer calculation for
// softmax, 2018; the entropy's sum is carried along: when the maximum grows by g, exponents t
// become t - g and weights w f (f = 2^-g), so that sum(w t) becomes f (sum(w t) - g sum(w)).
// Queries on the lanes, scores [key][query], as in attention/simd/attend_tiles-inl.h.
#if defined(ATTNLAB_ANALYSIS_SIMD_STREAM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ANALYSIS_SIMD_STREAM_TILE_INL_H_
#undef ATTNLAB_ANALYSIS_SIMD_STREAM_TILE_INL_H_
#else
#define ATTNLAB_ANALYSIS_SIMD_STREAM_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "analysis/simd/stream.h"
#include "analysis/simd/stream_memory.h"
#include "attention/simd/attend_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

using IntVec = hn::Vec<hn::RebindToSigned<FloatTag>>;

// The sums of one block, in float32: at most 256 keys.
template <int kVectors>
struct BlockSums {
  FloatVec small[kVectors], weighted[kVectors], visible[kVectors], smallest[kVectors];
  IntVec ties[kVectors];
};

template <int kVectors>
struct StreamTile {
  static constexpr std::int64_t kWidth = kVectors * kLanes;

  const Tile<kVectors, AllStages> tile;  // queries, cuts and masks as attention has them
  const StreamMemory memory;
  const bool careful;

  const AttendJob& job() const { return tile.job; }
  float* scores() const { return tile.shared.scores; }

  // Keys begin ... begin + keys - 1 of the run: those of a block that some query sees.
  struct Part {
    const float* k;
    std::int64_t k_stride, begin, keys;
    bool is_cut;  // some of them are hidden from some query
  };

  HWY_INLINE Part PartOf(const KeyBlock& block) const {
    const Band& band = block.run.band;
    const std::int64_t first = tile.mine.first, last = first + tile.mine.count - 1;
    const std::int64_t begin = std::max(block.begin, band.low_of(first));
    const std::int64_t end = std::min(block.end, band.high_of(last));
    const bool is_cut = careful || job().mask != MaskKind::kNone || band.low_of(last) > begin ||
                        band.high_of(first) < end;
    return {block.k + (begin - block.begin) * block.k_stride, block.k_stride, begin, end - begin,
            is_cut};
  }

  // Scores of all keys of the part; `largest` is raised to them.
  HWY_INLINE void Score(const Part& part, FloatVec (&largest)[kVectors]) const {
    constexpr int kKeys = kTileKeys<kVectors>;
    Cut<kVectors> none;  // not looked at
    for (int v = 0; v < kVectors; ++v) none.low[v] = none.high[v] = hn::Zero(FloatTag());
    const auto some = [&](auto keys, std::int64_t at) HWY_ATTR {
      ScoreTile<FloatProducts, kVectors, decltype(keys)::value, false>(
          memory.tile.q, job().d, part.k, part.k_stride, at, none, scores(), largest);
    };
    if (part.keys < kKeys) {
      for (std::int64_t j = 0; j < part.keys; ++j) some(std::integral_constant<int, 1>(), j);
      return;
    }
    std::int64_t j = 0;
    for (; j + kKeys <= part.keys; j += kKeys) some(std::integral_constant<int, kKeys>(), j);
    // The last tile overlaps the one before it and repeats its scores.
    if (j < part.keys) some(std::integral_constant<int, kKeys>(), part.keys - kKeys);
  }

  // Adds the mask and makes hidden scores -inf; the tile's raw scores must stand in scores().
  HWY_NOINLINE void Hide(const KeyBlock& block, const Part& part, FloatVec (&largest)[kVectors],
                         BlockSums<kVectors>& sums) const {
    const FloatTag df;
    const bool masked = job().mask != MaskKind::kNone;
    if (masked) tile.FillBias(block.run, part.begin, part.keys);
    Cut<kVectors> cut;
    tile.SetCutBand(block.run.band, part.begin, part.keys, cut);
    const FloatVec factor = hn::Set(df, job().score_factor), infinity = hn::Neg(Hidden());
    FloatVec unscaled[kVectors];
    for (int v = 0; v < kVectors; ++v) unscaled[v] = hn::Load(df, memory.unscaled + v * kLanes);
    for (std::int64_t j = 0; j < part.keys; ++j) {
      const FloatVec key = hn::Set(df, static_cast<float>(j));
      for (int v = 0; v < kVectors; ++v) {
        const std::int64_t at = j * kWidth + v * kLanes;
        const FloatVec raw = hn::Load(df, scores() + at);
        FloatVec score = raw;
        if (masked) {
          const FloatVec bias = hn::Load(df, tile.shared.bias + at);
          score = hn::MulAdd(raw, factor, bias);
          score = hn::IfThenElse(hn::Eq(bias, Hidden()), Hidden(), score);  // even if it was NaN
        }
        const auto seen = hn::And(hn::And(hn::Ge(key, cut.low[v]), hn::Lt(key, cut.high[v])),
                                  hn::Not(hn::Eq(score, Hidden())));
        score = hn::IfThenElse(seen, score, Hidden());
        unscaled[v] = hn::Max(hn::IfThenElseZero(seen, hn::Abs(raw)), unscaled[v]);
        sums.visible[v] = hn::Add(sums.visible[v], hn::IfThenElseZero(seen, hn::Set(df, 1.0f)));
        sums.smallest[v] = hn::Min(hn::IfThenElse(seen, score, infinity), sums.smallest[v]);
        largest[v] = hn::Max(score, largest[v]);
        hn::Store(score, df, scores() + at);
      }
    }
    for (int v = 0; v < kVectors; ++v) hn::Store(unscaled[v], df, memory.unscaled + v * kLanes);
  }

  HWY_NOINLINE void Start() const {
    tile.Start();
    for (std::int64_t r = 0; r < kWidth; ++r) {
      memory.smallest[r] = std::numeric_limits<float>::infinity();
      memory.first[r] = -std::numeric_limits<float>::infinity();
      memory.unscaled[r] = 0;
      memory.visible[r] = memory.ties[r] = memory.small[r] = memory.weighted[r] = 0;
    }
  }

  // Weights of the block's scores relative to `largest`, and their sums.
  template <bool kTrackSmallest>
  HWY_INLINE void Weigh(std::int64_t keys, const FloatVec (&largest)[kVectors],
                        BlockSums<kVectors>& sums) const {
    const FloatTag df;
    const hn::RebindToSigned<FloatTag> di;
    const FloatVec exponent = hn::Set(df, job().exponent), lowest = hn::Set(df, -127.0f);
    FloatVec small[kVectors], weighted[kVectors], smallest[kVectors];
    IntVec ties[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      small[v] = weighted[v] = hn::Zero(df);
      smallest[v] = sums.smallest[v];
      ties[v] = hn::Zero(di);
    }
    const auto some = [&](const float* at, auto& weight) HWY_ATTR {
      constexpr int kCount = sizeof(weight) / sizeof(weight[0]);
      FloatVec power[kCount];
      for (int i = 0; i < kCount; ++i) {
        const FloatVec score = hn::Load(df, at + i * kLanes);
        const int v = i % kVectors;
        if (kTrackSmallest) smallest[v] = hn::Min(score, smallest[v]);
        // Held, so that a weight of 0 times it is 0.
        power[i] = AtLeast(lowest, hn::Mul(hn::Sub(score, largest[v]), exponent));
        weight[i] = power[i];
      }
      Exp2(weight);
      for (int i = 0; i < kCount; ++i) {
        const int v = i % kVectors;
        const auto is_largest = hn::Eq(power[i], hn::Zero(df));
        ties[v] = hn::Sub(ties[v], hn::BitCast(di, hn::VecFromMask(df, is_largest)));
        small[v] = hn::Add(small[v], hn::IfThenZeroElse(is_largest, weight[i]));
        weighted[v] = hn::MulAdd(weight[i], power[i], weighted[v]);
      }
    };
    constexpr int kKeys = kVectors == 3 ? 1 : 4 / kVectors;
    const float* at = scores();
    const float* const end = at + keys * kWidth;
    for (; at + kKeys * kWidth <= end; at += kKeys * kWidth) {
      FloatVec weight[kKeys * kVectors];
      some(at, weight);
    }
    for (; at < end; at += kWidth) {
      FloatVec weight[kVectors];
      some(at, weight);
    }
    for (int v = 0; v < kVectors; ++v) {
      sums.small[v] = small[v];
      sums.weighted[v] = weighted[v];
      sums.smallest[v] = smallest[v];
      sums.ties[v] = ties[v];
    }
  }

  // The same at temperature 0: the largest scores share the weight, a NaN spoils the row.
  HWY_NOINLINE void WeighArgmax(std::int64_t keys, const FloatVec (&largest)[kVectors],
                                BlockSums<kVectors>& sums) const {
    const FloatTag df;
    const hn::RebindToSigned<FloatTag> di;
    for (int v = 0; v < kVectors; ++v) {
      sums.small[v] = sums.weighted[v] = hn::Zero(df);
      sums.ties[v] = hn::Zero(di);
      for (std::int64_t j = 0; j < keys; ++j) {
        const FloatVec score = hn::Load(df, scores() + j * kWidth + v * kLanes);
        // Inf - Inf is a NaN too: an infinite score has no finite ties.
        const FloatVec gap = hn::Sub(score, largest[v]);
        const auto seen = hn::Not(hn::Eq(score, Hidden()));
        sums.ties[v] =
            hn::Sub(sums.ties[v], hn::BitCast(di, hn::VecFromMask(df, hn::Eq(gap, hn::Zero(df)))));
        sums.small[v] =
            hn::Add(sums.small[v], hn::IfThenElseZero(hn::And(seen, hn::IsNaN(gap)), gap));
        sums.smallest[v] =
            hn::Min(hn::IfThenElse(seen, score, hn::Neg(Hidden())), sums.smallest[v]);
      }
    }
  }

  // Adds the sums of a block, made relative to the maximum `now`, to those so far, made relative to
  // `before`. In float64: a row has many blocks.
  HWY_NOINLINE void Fold(const FloatVec (&before)[kVectors], const FloatVec (&now)[kVectors],
                         const BlockSums<kVectors>& sums) const {
    const FloatTag df;
    const hn::RebindToSigned<FloatTag> di;
    HWY_ALIGN float old_largest[kWidth], new_largest[kWidth], small[kWidth], weighted[kWidth],
        visible[kWidth];
    HWY_ALIGN std::int32_t ties[kWidth];
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(before[v], df, old_largest + v * kLanes);
      hn::Store(now[v], df, new_largest + v * kLanes);
      hn::Store(sums.small[v], df, small + v * kLanes);
      hn::Store(sums.weighted[v], df, weighted + v * kLanes);
      hn::Store(sums.visible[v], df, visible + v * kLanes);
      hn::Store(sums.smallest[v], df, memory.smallest + v * kLanes);
      hn::Store(sums.ties[v], di, ties + v * kLanes);
    }
    for (std::int64_t r = 0; r < kWidth; ++r) {
      if (new_largest[r] > old_largest[r] && memory.visible[r] > 0) {
        const double sum = memory.ties[r] + memory.small[r];
        const double gap =
            double{job().exponent} * (double{old_largest[r]} - double{new_largest[r]});
        const double factor = job().argmax ? 0 : std::exp2(gap);
        if (factor > 0) {
          memory.weighted[r] = factor * (memory.weighted[r] + gap * sum);
          memory.small[r] = factor * sum;
        } else {  // 0 times what may be infinite, but for a NaN
          memory.weighted[r] = memory.small[r] = sum == sum ? 0 : sum;
        }
        memory.ties[r] = 0;
      }
      memory.ties[r] += ties[r];
      memory.small[r] += double{small[r]};
      memory.weighted[r] += double{weighted[r]};
      memory.visible[r] += double{visible[r]};
    }
  }

  HWY_NOINLINE void Process(const KeyBlock& block) const {
    const FloatTag df;
    const Part part = PartOf(block);
    if (part.keys <= 0) return;
    FloatVec before[kVectors], now[kVectors], base[kVectors];
    BlockSums<kVectors> sums;
    for (int v = 0; v < kVectors; ++v) {
      now[v] = before[v] = hn::Load(df, memory.tile.largest + v * kLanes);
      sums.smallest[v] = hn::Load(df, memory.smallest + v * kLanes);
      sums.visible[v] = part.is_cut ? hn::Zero(df) : hn::Set(df, static_cast<float>(part.keys));
    }
    if (part.is_cut) {
      FloatVec raw[kVectors];
      for (int v = 0; v < kVectors; ++v) raw[v] = before[v];
      Score(part, raw);
      Hide(block, part, now, sums);
    } else {
      Score(part, now);
    }
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(now[v], df, memory.tile.largest + v * kLanes);
      // While every key is hidden the maximum is -inf, and differences to it would be NaN.
      base[v] = hn::IfThenZeroElse(hn::Eq(now[v], Hidden()), now[v]);
    }
    if (part.begin == 0) std::copy_n(scores(), kWidth, memory.first);
    if (HWY_UNLIKELY(job().argmax)) {
      WeighArgmax(part.keys, base, sums);
    } else if (part.is_cut) {
      Weigh<false>(part.keys, base, sums);
    } else {
      Weigh<true>(part.keys, base, sums);
    }
    Fold(before, now, sums);
  }

  HWY_NOINLINE void Finish(StreamRow* out) const {
    for (std::int64_t r = 0; r < tile.mine.count; ++r) {
      const float largest = memory.tile.largest[r], smallest = memory.smallest[r];
      float unscaled = memory.unscaled[r];
      if (job().mask != MaskKind::kAdditive && memory.visible[r] > 0) {
        unscaled = std::max(std::abs(largest), std::abs(smallest));
      }
      out[tile.mine.first + r] = {.largest = largest,
                                  .smallest = smallest,
                                  .unscaled = unscaled,
                                  .first = memory.first[r],
                                  .visible = memory.visible[r],
                                  .ties = memory.ties[r],
                                  .small = memory.small[r],
                                  .weighted = memory.weighted[r]};
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
