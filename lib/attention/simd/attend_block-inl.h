// One tile of queries against one block of keys: scores, maximum, weights, sums.
// Dao, FlashAttention-2, 2023, Algorithm 1, lines 8 to 10; attend_tiles-inl.h has the inner loops.
#if defined(ATTNLAB_ATTENTION_SIMD_ATTEND_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_ATTEND_BLOCK_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_ATTEND_BLOCK_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_ATTEND_BLOCK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "attention/simd/attend.h"
#include "attention/simd/attend_memory.h"
#include "attention/simd/attend_tiles-inl.h"
#include "attention/simd/bf16_round-inl.h"
#include "attention/simd/exp2-inl.h"
#include "attention/simd/key_block-inl.h"
#include "attention/simd/transpose-inl.h"
#include "attention/simd/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

template <int kVectors, class Stages>
struct Tile {
  static constexpr std::int64_t kWidth = kVectors * kLanes;

  const AttendJob& job;
  const AttendRows& rows;
  const TileRows mine;
  const TileMemory memory;
  const SharedMemory shared;
  [[no_unique_address]] const Stages stages;

  const std::byte* QueryRow(std::int64_t r) const {
    return rows.q + (mine.first + r) * rows.q_stride * dtype_bytes(job.dtype);
  }

  // Four rows at a time, through the memory that widened keys have later.
  template <class T>
  HWY_INLINE void PackQueries() const {
    for (std::int64_t first = 0; first < mine.count; first += 4) {
      const std::int64_t count = std::min<std::int64_t>(4, mine.count - first);
      for (std::int64_t r = 0; r < count; ++r) {
        WidenRow(reinterpret_cast<const T*>(QueryRow(first + r)), job.d, shared.k + r * job.d);
      }
      TransposeScaled(shared.k, job.d, count, job.d, job.query_factor, memory.q + first, kWidth);
    }
  }

  HWY_INLINE void PackQueriesOfAnyType() const {
    if (mine.count < kWidth) std::fill_n(memory.q, job.d * kWidth, 0.0f);
    if (job.dtype == Dtype::kBf16) {
      PackQueries<Bf16>();
    } else if (job.dtype == Dtype::kF16) {
      PackQueries<F16>();
    } else {
      TransposeScaled(reinterpret_cast<const float*>(QueryRow(0)), rows.q_stride, mine.count, job.d,
                      job.query_factor, memory.q, kWidth);
    }
  }

  HWY_NOINLINE void Start() const {
    if (stages.has(Stage::kPacking)) PackQueriesOfAnyType();
    Reset(job.dv);
  }

  HWY_INLINE void Reset(std::int64_t channels) const {
    for (std::int64_t i = 0; i < channels * kWidth; ++i) memory.o[i] = 0;
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
    HWY_ALIGN float factor[kWidth];
    for (std::int64_t r = 0; r < kWidth; ++r) {
      const bool none = memory.sum[r] == 0;  // every key was hidden
      factor[r] = rows.suspend ? 1.0f : none ? 0.0f : 1.0f / memory.sum[r];
    }
    if (stages.has(Stage::kPacking)) {
      if (rows.rounded != nullptr) {
        StoreRounded(factor);
      } else {
        TransposeScaledBack(memory.o, kWidth, mine.count, job.dv, factor,
                            rows.o + mine.first * rows.o_stride, rows.o_stride);
      }
    }
    if (!rows.suspend) return;
    for (std::int64_t r = 0; r < mine.count; ++r) {
      const std::int64_t row = mine.first + r;
      rows.largest[row * rows.stat_stride] = memory.largest[r];
      rows.sums[row * rows.stat_stride] = memory.sum[r];
    }
  }

  // The output in bfloat16, some channels at a time.
  HWY_NOINLINE void StoreRounded(const float* factor) const {
    constexpr std::int64_t kChannels = 64;
    HWY_ALIGN float some[kWidth * kChannels];
    for (std::int64_t c = 0; c < job.dv; c += kChannels) {
      const std::int64_t channels = std::min(kChannels, job.dv - c);
      TransposeScaledBack(memory.o + c * kWidth, kWidth, mine.count, channels, factor, some,
                          kChannels);
      for (std::int64_t r = 0; r < mine.count; ++r) {
        RoundRow(some + r * kChannels, channels, 1.0f,
                 rows.rounded + (mine.first + r) * rows.o_stride + c);
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

  // Which of the keys [begin, begin + keys) of the run the queries see; whether any is hidden.
  HWY_INLINE bool SetCut(const KeyRun& run, std::int64_t begin, std::int64_t keys,
                         Cut<kVectors>& cut) const {
    const Band& band = run.band;
    cut.whole_begin = band.low_of(mine.first + mine.count - 1) - begin;
    cut.whole_end = band.high_of(mine.first) - begin;
    if (job.mask != MaskKind::kNone) {
      FillBias(run, begin, keys);
      cut.bias = shared.bias;
      cut.score_factor = job.score_factor;
      cut.whole_end = cut.whole_begin;
    }
    const bool is_cut = cut.whole_begin > 0 || cut.whole_end < keys;
    if (is_cut) SetCutBand(band, begin, keys, cut);
    return is_cut;
  }
  HWY_INLINE void SetCutBand(const Band& band, std::int64_t begin, std::int64_t keys,
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

  // One tile of scores, cut only where something may be hidden: before key whole_begin, from
  // whole_end on, or anywhere under a mask (an empty range).
  template <class Products, int kKeys>
  HWY_INLINE void Score(const typename Products::Element* q, std::int64_t terms,
                        const typename Products::Element* k, std::int64_t k_stride,
                        std::int64_t key, const Cut<kVectors>& cut,
                        FloatVec (&largest)[kVectors]) const {
    if (key >= cut.whole_begin && key + kKeys <= cut.whole_end) {
      ScoreOneTile<Products, kKeys, false>(q, terms, k, k_stride, key, cut, largest);
    } else {
      ScoreOneTile<Products, kKeys, true>(q, terms, k, k_stride, key, cut, largest);
    }
  }
  template <class Products, int kKeys, bool kCut>
  HWY_INLINE void ScoreOneTile(const typename Products::Element* q, std::int64_t terms,
                               const typename Products::Element* k, std::int64_t k_stride,
                               std::int64_t key, const Cut<kVectors>& cut,
                               FloatVec (&largest)[kVectors]) const {
    if constexpr (!Stages::kAll) {
      if (!stages.has(Stage::kSoftmax)) {
        return ScoreTile<Products, kVectors, kKeys, kCut, false>(q, terms, k, k_stride, key, cut,
                                                                 shared.scores, largest);
      }
    }
    ScoreTile<Products, kVectors, kKeys, kCut>(q, terms, k, k_stride, key, cut, shared.scores,
                                               largest);
  }

  // Scores to weights, in place, and their sums.
  HWY_INLINE void Weigh(std::int64_t keys, const FloatVec (&largest)[kVectors],
                        FloatVec (&sum)[kVectors]) const {
    const FloatTag df;
    const FloatVec exponent = hn::Set(df, job.exponent);
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(df);
    const auto some = [&](float* at, auto& weight) HWY_ATTR {
      int i = 0;
      for (FloatVec& w : weight) {
        // Not exponent * score - exponent * largest: that overflows, and is not 0 at the largest.
        w = hn::Mul(hn::Sub(hn::Load(df, at + i * kLanes), largest[i % kVectors]), exponent);
        ++i;
      }
      Exp2(weight);
      i = 0;
      for (FloatVec& w : weight) {
        sum[i % kVectors] = hn::Add(sum[i % kVectors], w);
        hn::Store(w, df, at + i * kLanes);
        ++i;
      }
    };
    // Four or six vectors in lockstep hide the latency and share the constants.
    constexpr int kKeys = kVectors == 3 ? 2 : 4 / kVectors;
    float* at = shared.scores;
    float* const end = at + keys * kWidth;
    for (; at + kKeys * kWidth <= end; at += kKeys * kWidth) {
      FloatVec weight[kKeys * kVectors];
      some(at, weight);
    }
    for (; at < end; at += kWidth) {
      FloatVec weight[kVectors];
      some(at, weight);
    }
  }

  // The same at temperature 0, where the largest scores share the weight, or where hidden keys must
  // be known by their weight -0.
  HWY_NOINLINE void WeighRarely(std::int64_t keys, bool mark_hidden,
                                const FloatVec (&largest)[kVectors],
                                FloatVec (&sum)[kVectors]) const {
    const FloatTag df;
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(df);
    for (std::int64_t j = 0; j < keys; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        float* const at = shared.scores + j * kWidth + v * kLanes;
        const FloatVec score = hn::Load(df, at);
        FloatVec weight;
        if (job.argmax) {
          weight = hn::IfThenElse(hn::Eq(score, largest[v]), hn::Set(df, 1.0f),
                                  hn::IfThenZeroElse(hn::Eq(score, score), score));  // NaN stays
        } else {
          weight = Exp2(hn::Mul(hn::Sub(score, largest[v]), hn::Set(df, job.exponent)));
        }
        if (mark_hidden) {
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

  template <class Products>
  HWY_INLINE void ScoreAll(const typename Products::Element* q, std::int64_t terms,
                           std::int64_t keys, const typename Products::Element* k,
                           std::int64_t k_stride, const Cut<kVectors>& cut,
                           FloatVec (&now)[kVectors]) const {
    constexpr int kKeys = kTileKeys<kVectors>;
    if (keys >= kKeys) {
      std::int64_t j = 0;
      for (; j + kKeys <= keys; j += kKeys) {
        Score<Products, kKeys>(q, terms, k, k_stride, j, cut, now);
      }
      if (j < keys) {  // the last tile overlaps the one before it and repeats its scores
        Score<Products, kKeys>(q, terms, k, k_stride, keys - kKeys, cut, now);
      }
    } else {
      for (std::int64_t j = 0; j < keys; ++j) {
        Score<Products, 1>(q, terms, k, k_stride, j, cut, now);
      }
    }
  }

  // Scores to weights relative to the largest score so far, to which earlier sums are brought.
  HWY_INLINE void SoftenScores(std::int64_t keys, bool skip_hidden,
                               const FloatVec (&before)[kVectors],
                               const FloatVec (&now)[kVectors]) const {
    const FloatTag df;
    bool grown = false;
    FloatVec base[kVectors], factor[kVectors], added[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(now[v], df, memory.largest + v * kLanes);
      // Where all was hidden there is nothing to rescale.
      const auto same = hn::Or(hn::Eq(now[v], before[v]), hn::Eq(before[v], Hidden()));
      grown = grown || !hn::AllTrue(df, same);
      // While every key is hidden the maximum is -inf, and differences to it would be NaN.
      base[v] = hn::IfThenZeroElse(hn::Eq(now[v], Hidden()), now[v]);
      factor[v] = hn::Set(df, 1.0f);
    }
    if (grown) Rescale(before, base, factor);
    if (HWY_UNLIKELY(skip_hidden || job.argmax)) {
      WeighRarely(keys, skip_hidden, base, added);
    } else {
      Weigh(keys, base, added);
    }
    for (int v = 0; v < kVectors; ++v) {
      float* const sum = memory.sum + v * kLanes;
      hn::Store(hn::MulAdd(hn::Load(df, sum), factor[v], added[v]), df, sum);
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

    Cut<kVectors> cut;
    const bool is_cut = SetCut(block.run, begin, keys, cut);

    FloatVec before[kVectors], now[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      before[v] = hn::Load(df, memory.largest + v * kLanes);
      now[v] = before[v];
    }
    if (stages.has(Stage::kScores)) {
      ScoreAll<FloatProducts>(memory.q, job.d, keys, k, block.k_stride, cut, now);
    }
    const bool skip_hidden = is_cut && block.HasNonfinite(job.dv);
    if (stages.has(Stage::kSoftmax)) SoftenScores(keys, skip_hidden, before, now);
    if (!stages.has(Stage::kSum)) return;
    if (HWY_UNLIKELY(skip_hidden)) {
      SumTiles<FloatProducts, kVectors, kTileChannels<kVectors>, true>(
          shared.scores, keys, v_rows, block.v_stride, job.dv, memory.o);
    } else {
      SumTiles<FloatProducts, kVectors, kTileChannels<kVectors>, false>(
          shared.scores, keys, v_rows, block.v_stride, job.dv, memory.o);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
