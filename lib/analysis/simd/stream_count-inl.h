// The second pass over one block of keys: each row's maximum and denominator are known now.
#if defined(ATTNLAB_ANALYSIS_SIMD_STREAM_COUNT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ANALYSIS_SIMD_STREAM_COUNT_INL_H_
#undef ATTNLAB_ANALYSIS_SIMD_STREAM_COUNT_INL_H_
#else
#define ATTNLAB_ANALYSIS_SIMD_STREAM_COUNT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>

#include "analysis/simd/stream_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// The limits of the tile's rows, a lane each; lanes beyond the last row add nothing.
template <int kVectors>
struct LaneLimits {
  FloatVec largest[kVectors], inverse[kVectors], below[kVectors];
};
template <int kVectors>
HWY_INLINE LaneLimits<kVectors> LimitsOf(const TileRows& mine, const StreamLimits* limits) {
  constexpr std::int64_t kWidth = kVectors * kLanes;
  HWY_ALIGN float largest[kWidth], inverse[kWidth], below[kWidth];
  for (std::int64_t r = 0; r < kWidth; ++r) {
    const bool is_row = r < mine.count;
    const StreamLimits& of = limits[mine.first + (is_row ? r : 0)];
    largest[r] = of.largest;
    inverse[r] = is_row ? of.inverse : 0;
    below[r] = is_row ? of.below : -std::numeric_limits<float>::infinity();
  }
  LaneLimits<kVectors> out;
  for (int v = 0; v < kVectors; ++v) {
    out.largest[v] = hn::Load(FloatTag(), largest + v * kLanes);
    out.inverse[v] = hn::Load(FloatTag(), inverse + v * kLanes);
    out.below[v] = hn::Load(FloatTag(), below + v * kLanes);
  }
  return out;
}

// Adds the keys of the block, for the rows of the tile, to the sums.
template <int kVectors>
HWY_NOINLINE void CountBlock(const StreamTile<kVectors>& tile, const KeyBlock& block,
                             const StreamLimits* row_limits, StreamSums& sums) {
  const FloatTag df;
  const hn::RebindToSigned<FloatTag> di;
  const auto part = tile.PartOf(block);
  if (part.keys <= 0) return;
  BlockSums<kVectors> ignored;
  FloatVec largest[kVectors];
  IntVec zeros = hn::Zero(di);
  for (int v = 0; v < kVectors; ++v) {
    largest[v] = ignored.smallest[v] = ignored.visible[v] = hn::Zero(df);
  }
  tile.Score(part, largest);
  if (part.is_cut) tile.Hide(block, part, largest, ignored);
  const LaneLimits<kVectors> limits = LimitsOf<kVectors>(tile.tile.mine, row_limits);
  const FloatVec exponent = hn::Set(df, tile.job().exponent);
  for (std::int64_t j = 0; j < part.keys; ++j) {
    FloatVec weight = hn::Zero(df), queries = hn::Zero(df);
    for (int v = 0; v < kVectors; ++v) {
      const FloatVec score = hn::Load(df, tile.scores() + j * tile.kWidth + v * kLanes);
      const FloatVec gap = hn::Sub(score, limits.largest[v]);
      const auto seen = hn::Not(hn::Eq(score, Hidden()));
      zeros = hn::Sub(
          zeros, hn::BitCast(di, hn::VecFromMask(df, hn::And(seen, hn::Lt(gap, limits.below[v])))));
      if (sums.weights == nullptr) continue;
      const auto counts = hn::And(seen, hn::Gt(limits.inverse[v], hn::Zero(df)));
      const FloatVec relative =
          tile.job().argmax ? hn::IfThenElseZero(hn::Eq(gap, hn::Zero(df)), hn::Set(df, 1.0f))
                            : Exp2(hn::Mul(gap, exponent));
      weight = hn::Add(weight, hn::IfThenElseZero(counts, hn::Mul(relative, limits.inverse[v])));
      queries = hn::Add(queries, hn::IfThenElseZero(counts, hn::Set(df, 1.0f)));
    }
    if (sums.weights == nullptr) continue;
    const std::int64_t at = part.begin + j - sums.first;
    sums.weights[at] += double{hn::GetLane(hn::SumOfLanes(df, weight))};
    sums.queries[at] += double{hn::GetLane(hn::SumOfLanes(df, queries))};
  }
  sums.zeros += hn::GetLane(hn::SumOfLanes(di, zeros));
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
