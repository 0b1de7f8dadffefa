// One tile of queries against one block of keys, with products of bfloat16: queries, keys, values
// and weights are rounded to it, scores and sums are float32.
// Dao, FlashAttention-2, 2023, Algorithm 1, lines 8 to 10. Sums are brought to a larger maximum
// only once it has grown by a factor of 2^8 in the weights: bfloat16 has the exponents for it.
#if defined(ATTNLAB_ATTENTION_SIMD_BF16_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_BF16_BLOCK_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_BF16_BLOCK_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_BF16_BLOCK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "attention/simd/attend_block-inl.h"
#include "attention/simd/bf16_load-inl.h"
#include "attention/simd/bf16_pairs-inl.h"
#include "attention/simd/bf16_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// What the tiles of both kinds have in common: queries, weights, sums. Products adds up weights.
template <int kVectors, class Stages, class Products>
struct Bf16Tile : Tile<kVectors, Stages> {
  using Base = Tile<kVectors, Stages>;
  using Base::job, Base::mine, Base::memory, Base::rows, Base::stages, Base::kWidth;
  using Vectors = FloatVec[kVectors];

  const Bf16SharedMemory& bf16;

  std::uint32_t* Queries() const { return reinterpret_cast<std::uint32_t*>(memory.q); }

  HWY_NOINLINE void Start() const {
    if (stages.has(Stage::kPacking)) {
      if (job.dtype == Dtype::kBf16) {
        PackQueryPairs<Bf16>();
      } else {
        PackQueryPairs<float>();
      }
    }
    Base::Reset(Bf16Sizes(job).channels);
  }

  // Four rows at a time, through the memory that copied keys have later.
  template <class T>
  HWY_INLINE void PackQueryPairs() const {
    const std::int64_t pairs = Bf16Sizes(job).pairs;
    std::uint32_t* const four = bf16.k;
    for (std::int64_t first = 0; first < kWidth; first += 4) {
      std::fill_n(four, 4 * pairs, 0u);
      for (std::int64_t r = first; r < std::min(first + 4, mine.count); ++r) {
        // The factor is a power of two, so that the product is exact.
        RoundRow(reinterpret_cast<const T*>(Base::QueryRow(r)), job.d, job.query_factor,
                 reinterpret_cast<Bf16*>(four + (r - first) * pairs));
      }
      TransposeBits(four, pairs, 4, pairs, Queries() + first, kWidth);
    }
  }

  // The maxima that weights are relative to from now on, to which earlier sums are brought.
  HWY_INLINE void Raise(const Vectors& now, Vectors& base) const {
    const FloatTag df;
    bool grown = false;
    Vectors before, factor;
    for (int v = 0; v < kVectors; ++v) {
      before[v] = hn::Load(df, memory.largest + v * kLanes);
      const FloatVec growth = hn::Mul(hn::Sub(now[v], before[v]), hn::Set(df, job.exponent));
      const auto far = job.argmax ? hn::Ne(now[v], before[v]) : hn::Gt(growth, hn::Set(df, 8.0f));
      // Where all was hidden there is nothing to bring along.
      grown = grown || !hn::AllFalse(df, hn::And(far, hn::Ne(before[v], Hidden())));
      const FloatVec largest = hn::IfThenElse(far, now[v], before[v]);
      hn::Store(largest, df, memory.largest + v * kLanes);
      // While every key is hidden the maximum is -inf, and differences to it would be NaN.
      base[v] = hn::IfThenZeroElse(hn::Eq(largest, Hidden()), largest);
    }
    if (!grown) return;
    Base::Rescale(before, base, factor);
    for (int v = 0; v < kVectors; ++v) {
      float* const sum = memory.sum + v * kLanes;
      hn::Store(hn::Mul(hn::Load(df, sum), factor[v]), df, sum);
    }
  }

  // Scores of `keys` keys to weights, in pairs of keys, and their sums.
  HWY_INLINE void Weigh(const float* scores, std::int64_t keys, const Vectors& base,
                        std::uint32_t* out, Vectors& sum) const {
    std::int64_t j = 0;
    for (; j + 2 <= keys; j += 2) {
      WeighPair<false>(scores + j * kWidth, base, out + j / 2 * kWidth, sum);
    }
    if (j < keys) WeighPair<true>(scores + j * kWidth, base, out + j / 2 * kWidth, sum);
  }

  // kAlone: there is no second key, its weight is zero.
  template <bool kAlone>
  HWY_INLINE void WeighPair(const float* scores, const Vectors& base, std::uint32_t* out,
                            Vectors& sum) const {
    const FloatTag df;
    const BitsTag du;
    constexpr int kGroup = kVectors <= 3 ? kVectors : 2;  // vectors of each key in lockstep
    const BitsVec ones = hn::Set(du, 0x3F803F80u);
    for (int v = 0; v < kVectors; v += kGroup) {
      FloatVec weight[2 * kGroup];
      for (int i = 0; i < kGroup; ++i) {
        weight[i] = hn::Load(df, scores + (v + i) * kLanes);
        weight[kGroup + i] = kAlone ? Hidden() : hn::Load(df, scores + kWidth + (v + i) * kLanes);
      }
      if (HWY_UNLIKELY(job.argmax)) {
        for (int i = 0; i < 2 * kGroup; ++i) {
          const FloatVec score = weight[i], largest = base[v + i % kGroup];
          weight[i] = hn::IfThenElse(hn::Eq(score, largest), hn::Set(df, 1.0f),
                                     hn::IfThenZeroElse(hn::Eq(score, score), score));
        }
      } else {
        const FloatVec exponent = hn::Set(df, job.exponent), half = hn::Set(df, -0.5f);
        for (int i = 0; i < 2 * kGroup; ++i) {
          // Not exponent * score - exponent * largest: that overflows.
          weight[i] = hn::MulAdd(hn::Sub(weight[i], base[v + i % kGroup]), exponent, half);
        }
        Exp2ToRound(weight);
      }
      for (int i = 0; i < kGroup; ++i) {
        const BitsVec pair = hn::Or(hn::ShiftRight<16>(hn::BitCast(du, weight[i])),
                                    UpperHalf(hn::BitCast(du, weight[kGroup + i])));
        sum[v + i] = Products::Add(pair, ones, sum[v + i]);
        hn::Store(pair, du, out + (v + i) * kLanes);
      }
    }
  }

  HWY_INLINE void AddToSums(const Vectors& added) const {
    const FloatTag df;
    for (int v = 0; v < kVectors; ++v) {
      float* const sum = memory.sum + v * kLanes;
      hn::Store(hn::Add(hn::Load(df, sum), added[v]), df, sum);
    }
  }

  bool Sees(const KeyRun& run, std::int64_t r, std::int64_t key) const {
    const std::int64_t row = mine.first + r;
    if (key < run.band.low_of(row) || key >= run.band.high_of(row)) return false;
    const std::int64_t at = row * run.mask_row_stride + key * run.mask_key_stride;
    if (job.mask == MaskKind::kBoolean) return static_cast<const std::uint8_t*>(run.mask)[at] != 0;
    if (job.mask == MaskKind::kAdditive) {
      return static_cast<const float*>(run.mask)[at] != hn::GetLane(Hidden());
    }
    return true;
  }

  // NaN and Inf among the values of keys [begin, begin + keys), for the queries that see them.
  template <class T>
  HWY_NOINLINE void AddNonfinite(const KeyRun& run, std::int64_t begin, std::int64_t keys,
                                 const std::uint32_t* weights) const {
    for (std::int64_t j = 0; j < keys; ++j) {
      const T* const row = reinterpret_cast<const T*>(run.v) + (begin + j) * run.v_stride;
      for (std::int64_t c = 0; c < job.dv; ++c) {
        const std::uint32_t bits = Bf16Bits(row[c]);
        if (!IsNonfinite(bits)) continue;
        for (std::int64_t r = 0; r < mine.count; ++r) {
          if (!Sees(run, r, begin + j)) continue;
          const std::uint32_t pair = weights[j / 2 * kWidth + r];
          const auto weight = static_cast<std::uint16_t>(j % 2 == 0 ? pair : pair >> 16);
          memory.o[c * kWidth + r] +=
              to_float(Bf16{weight}) * to_float(Bf16{static_cast<std::uint16_t>(bits)});
        }
      }
    }
  }
  void AddAnyNonfinite(const Bf16Block& block, std::int64_t begin, std::int64_t keys) const {
    if (HWY_LIKELY(!block.has_nonfinite)) return;
    if (job.dtype == Dtype::kBf16) {
      AddNonfinite<Bf16>(block.run, begin, keys, bf16.weights);
    } else {
      AddNonfinite<float>(block.run, begin, keys, bf16.weights);
    }
  }
};

// With vectors of pairs: the float32 engine's loops, two channels or keys at a time.
template <int kVectors, class Stages, class Products>
struct Bf16PairTile : Bf16Tile<kVectors, Stages, Products> {
  using Base = Bf16Tile<kVectors, Stages, Products>;
  using Base::job, Base::mine, Base::memory, Base::shared, Base::stages, Base::bf16;

  HWY_NOINLINE void Process(Bf16Block& block) const {
    const FloatTag df;
    const std::int64_t end =
        std::min(block.end, block.run.band.high_of(mine.first + mine.count - 1));
    const std::int64_t keys = end - block.begin;
    if (keys <= 0) return;
    Cut<kVectors> cut;
    this->SetCut(block.run, block.begin, keys, cut);
    typename Base::Vectors now, base, added;
    for (int v = 0; v < kVectors; ++v) {
      now[v] = hn::Load(df, memory.largest + v * kLanes);
      added[v] = hn::Zero(df);
    }
    if (stages.has(Stage::kScores)) {
      this->template ScoreAll<Products>(Base::Queries(), (job.d + 1) / 2, keys, block.k,
                                        block.k_stride, cut, now);
    }
    if (stages.has(Stage::kSoftmax)) {
      Base::Raise(now, base);
      Base::Weigh(shared.scores, keys, base, bf16.weights, added);
      Base::AddToSums(added);
    }
    if (!stages.has(Stage::kSum)) return;
    SumTiles<Products, kVectors, kTileChannels<kVectors>, false>(
        bf16.weights, (keys + 1) / 2, bf16.v, Bf16Sizes(job).channels, job.dv, memory.o);
    Base::AddAnyNonfinite(block, block.begin, keys);
  }
};

// With a tile unit: 32 queries, whose scores with the next keys are computed while the weights of
// these are.
template <class Stages, class Unit, class Products>
struct Bf16UnitTile : Bf16Tile<32 / kLanes, Stages, Products> {
  static constexpr int kVectors = 32 / kLanes;
  using Base = Bf16Tile<kVectors, Stages, Products>;
  using Base::job, Base::mine, Base::memory, Base::shared, Base::stages, Base::bf16, Base::kWidth;
  using Vectors = typename Base::Vectors;

  Unit& unit;

  // Scores of 32 keys.
  HWY_INLINE void Score(const std::uint32_t* k, std::int64_t k_stride, float* scores) const {
    if (!stages.has(Stage::kScores)) return;
    unit.template Zero<0>();
    unit.template Zero<1>();
    unit.template Zero<2>();
    unit.template Zero<3>();
    for (std::int64_t p = 0; p < Bf16Sizes(job).pairs; p += 16) {
      unit.template Load<4>(k + p, 4 * k_stride);
      unit.template Load<5>(k + 16 * k_stride + p, 4 * k_stride);
      unit.template Load<6>(Base::Queries() + p * kWidth, 4 * kWidth);
      unit.template Load<7>(Base::Queries() + p * kWidth + 16, 4 * kWidth);
      unit.template Add<0, 4, 6>();
      unit.template Add<1, 4, 7>();
      unit.template Add<2, 5, 6>();
      unit.template Add<3, 5, 7>();
    }
    unit.template Store<0>(scores, 4 * kWidth);
    unit.template Store<1>(scores + 16, 4 * kWidth);
    unit.template Store<2>(scores + 16 * kWidth, 4 * kWidth);
    unit.template Store<3>(scores + 16 * kWidth + 16, 4 * kWidth);
  }

  // Hides what is to be hidden of `count` keys from `key` on, and raises now to their scores.
  HWY_INLINE void CutAndRaise(float* scores, std::int64_t key, std::int64_t count, bool cuts,
                              const Cut<kVectors>& cut, Vectors& now) const {
    const FloatTag df;
    for (std::int64_t j = 0; j < count; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        float* const at = scores + j * kWidth + v * kLanes;
        FloatVec score = hn::Load(df, at);
        if (HWY_UNLIKELY(cuts)) {
          score = CutScore(score, cut, key + j, v);
          hn::Store(score, df, at);
        }
        now[v] = hn::Max(score, now[v]);
      }
    }
  }

  // o += values times the weights of `count` keys from `key` on, two tiles of channels at a time.
  HWY_INLINE void Sum(std::int64_t key, std::int64_t count) const {
    const Bf16Sizes sizes(job);
    for (std::int64_t c = 0; c < sizes.channels; c += 32) {
      if (c + 16 < sizes.channels) {
        SumChannels<true>(c, key, count, sizes.v_stride);
      } else {
        SumChannels<false>(c, key, count, sizes.v_stride);
      }
    }
  }
  template <bool kBoth>
  HWY_INLINE void SumChannels(std::int64_t c, std::int64_t key, std::int64_t count,
                              std::int64_t v_stride) const {
    float* const o = memory.o + c * kWidth;
    float* const next = o + 16 * kWidth;
    unit.template Load<0>(o, 4 * kWidth);
    unit.template Load<1>(o + 16, 4 * kWidth);
    if constexpr (kBoth) {
      unit.template Load<2>(next, 4 * kWidth);
      unit.template Load<3>(next + 16, 4 * kWidth);
    }
    for (std::int64_t j = 0; j < count; j += 32) {
      const std::uint32_t* const v = bf16.v_rows + c * v_stride + (key + j) / 2;
      const std::uint32_t* const p = bf16.weights + j / 2 * kWidth;
      unit.template Load<4>(v, 4 * v_stride);
      unit.template Load<6>(p, 4 * kWidth);
      unit.template Load<7>(p + 16, 4 * kWidth);
      unit.template Add<0, 4, 6>();
      unit.template Add<1, 4, 7>();
      if constexpr (kBoth) {
        unit.template Load<5>(v + 16 * v_stride, 4 * v_stride);
        unit.template Add<2, 5, 6>();
        unit.template Add<3, 5, 7>();
      }
    }
    unit.template Store<0>(o, 4 * kWidth);
    unit.template Store<1>(o + 16, 4 * kWidth);
    if constexpr (kBoth) {
      unit.template Store<2>(next, 4 * kWidth);
      unit.template Store<3>(next + 16, 4 * kWidth);
    }
  }

  HWY_NOINLINE void Process(Bf16Block& block) const {
    const FloatTag df;
    const Band& band = block.run.band;
    const std::int64_t end = std::min(block.end, band.high_of(mine.first + mine.count - 1));
    const std::int64_t keys = end - block.begin;
    if (keys <= 0) return;
    Cut<kVectors> cut;
    const bool is_cut = this->SetCut(block.run, block.begin, keys, cut);
    // Tiles go on behind the last key: those scores are hidden.
    if (!is_cut && keys % 32 != 0) this->SetCutBand(band, block.begin, keys, cut);

    float* scores[2] = {shared.scores, bf16.next_scores};
    const auto score = [&](std::int64_t key, float* to)
                           HWY_ATTR { Score(block.k + key * block.k_stride, block.k_stride, to); };
    for (std::int64_t key = 0; key < std::min(keys, kSubBlock); key += 32) {
      score(key, scores[0] + key * kWidth);
    }
    for (std::int64_t key = 0; key < keys; key += kSubBlock) {
      const std::int64_t count = std::min(kSubBlock, (keys - key + 31) / 32 * 32);
      const bool cuts = key < cut.whole_begin || key + count > std::min(cut.whole_end, keys);
      Vectors now, base, added;
      for (int v = 0; v < kVectors; ++v) {
        now[v] = hn::Load(df, memory.largest + v * kLanes);
        added[v] = hn::Zero(df);
      }
      const bool weighs = stages.has(Stage::kSoftmax);
      if (weighs) {
        CutAndRaise(scores[0], key, count, cuts, cut, now);
        Base::Raise(now, base);
      }
      for (std::int64_t j = 0; j < kSubBlock; j += 32) {
        if (key + kSubBlock + j < keys) score(key + kSubBlock + j, scores[1] + j * kWidth);
        if (weighs && j < count) {
          Base::Weigh(scores[0] + j * kWidth, 32, base, bf16.weights + j / 2 * kWidth, added);
        }
      }
      if (weighs) Base::AddToSums(added);
      if (stages.has(Stage::kSum)) {
        Sum(key, count);
        Base::AddAnyNonfinite(block, block.begin + key, std::min(count, keys - key));
      }
      std::swap(scores[0], scores[1]);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
