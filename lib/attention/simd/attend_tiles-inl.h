// The two register tiles of the blocked softmax kernels, with queries on the lanes:
//   scores   s[key][query] = k[key] . q[query]           (S^T = K Q^T)
//   sums     o[channel][query] += v[key][channel] p[key][query]   (O^T += V^T P^T)
// so that a query's maximum and sum need no operation across lanes, and k and v are read as they
// lie in memory, one broadcast element at a time. kVectors vectors of queries stand in a tile; with
// 16 registers 12, with 32 registers 24 of them hold the sums.
#if defined(ATTNLAB_ATTENTION_SIMD_ATTEND_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_ATTEND_TILES_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_ATTEND_TILES_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_ATTEND_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "attention/simd/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

inline constexpr std::int64_t kLanes = static_cast<std::int64_t>(HWY_LANES(float));
inline constexpr int kMaxVectors = 3;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr int kSumRegisters = 24;
#else
inline constexpr int kSumRegisters = 12;
#endif

// Keys of a score tile, and channels of a sum tile (a power of two, so that the rest is halved).
template <int kVectors>
inline constexpr int kTileKeys = kVectors == 1 ? 8 : kSumRegisters / kVectors;
template <int kVectors>
inline constexpr int kTileChannels = kSumRegisters == 24 || kVectors == 1 ? 8 : 4;

HWY_INLINE FloatVec Hidden() { return hn::Set(FloatTag(), -hwy::HighestValue<float>() * 2); }

// What hides some keys from some of a tile's queries.
template <int kVectors>
struct Cut {
  // Key j is seen from low[v] on and before high[v], lane by lane, in keys of the block.
  FloatVec low[kVectors], high[kVectors];
  const float* bias = nullptr;  // [key][query]: added to the scores, -inf hides; null: none
  float score_factor = 1;
  std::int64_t whole_begin = 0, whole_end = 0;  // keys that every query of the tile sees
};

// What a product has as its factors: here floats; bf16_pairs-inl.h has pairs of bfloat16.
struct FloatProducts {
  using Element = float;
  using Factor = FloatVec;
  static HWY_INLINE Factor Load(const Element* p) { return hn::Load(FloatTag(), p); }
  static HWY_INLINE Factor Same(Element x) { return hn::Set(FloatTag(), x); }
  static HWY_INLINE FloatVec Add(Factor a, Factor b, FloatVec sum) { return hn::MulAdd(a, b, sum); }
};

// The score of key number `key` of the block with the tile's vector v, as its queries see it.
template <int kVectors>
HWY_INLINE FloatVec CutScore(FloatVec score, const Cut<kVectors>& cut, std::int64_t key, int v) {
  const FloatTag df;
  if (cut.bias != nullptr) {
    const FloatVec bias = hn::Load(df, cut.bias + (key * kVectors + v) * kLanes);
    score = hn::MulAdd(score, hn::Set(df, cut.score_factor), bias);
    score = hn::IfThenElse(hn::Eq(bias, Hidden()), Hidden(), score);  // even if it was NaN
  }
  const FloatVec j = hn::Set(df, static_cast<float>(key));
  const auto seen = hn::And(hn::Ge(j, cut.low[v]), hn::Lt(j, cut.high[v]));
  return hn::IfThenElse(seen, score, Hidden());
}

// Scores of kKeys keys from `key` on, stored to s; largest is raised to them if kMaximum says so.
template <class Products, int kVectors, int kKeys, bool kCut, bool kMaximum = true>
HWY_INLINE void ScoreTile(const typename Products::Element* q, std::int64_t terms,
                          const typename Products::Element* k, std::int64_t k_stride,
                          std::int64_t key, const Cut<kVectors>& cut, float* s,
                          FloatVec (&largest)[kVectors]) {
  const FloatTag df;
  constexpr std::int64_t kWidth = kVectors * kLanes;
  FloatVec sum[kKeys][kVectors];
  for (int t = 0; t < kKeys; ++t) {
    for (int v = 0; v < kVectors; ++v) sum[t][v] = hn::Zero(df);
  }
  const auto* k_rows = k + key * k_stride;
  HWY_UNROLL(4)
  for (std::int64_t c = 0; c < terms; ++c) {
    typename Products::Factor query[kVectors];
    for (int v = 0; v < kVectors; ++v) query[v] = Products::Load(q + c * kWidth + v * kLanes);
    for (int t = 0; t < kKeys; ++t) {
      const auto element = Products::Same(k_rows[t * k_stride + c]);
      for (int v = 0; v < kVectors; ++v) sum[t][v] = Products::Add(element, query[v], sum[t][v]);
    }
  }
  for (int t = 0; t < kKeys; ++t) {
    for (int v = 0; v < kVectors; ++v) {
      FloatVec score = sum[t][v];
      if constexpr (kCut) score = CutScore(score, cut, key + t, v);
      hn::Store(score, df, s + (key + t) * kWidth + v * kLanes);
      if constexpr (kMaximum) largest[v] = hn::Max(score, largest[v]);
    }
  }
}

// o[c] += sum over keys of v[key][c] p[key], for kChannels channels; with pairs, `keys` of them.
// kSkipHidden, of floats alone: a key hidden from a query (its weight is -0) is left out, not
// multiplied by zero: its value may be NaN or Inf.
template <class Products, int kVectors, int kChannels, bool kSkipHidden>
HWY_INLINE void SumTile(const typename Products::Element* p, std::int64_t keys,
                        const typename Products::Element* values, std::int64_t v_stride, float* o) {
  const FloatTag df;
  constexpr std::int64_t kWidth = kVectors * kLanes;
  FloatVec sum[kChannels][kVectors];
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) sum[c][v] = hn::Load(df, o + c * kWidth + v * kLanes);
  }
  HWY_UNROLL(4)
  for (std::int64_t j = 0; j < keys; ++j) {
    typename Products::Factor weight[kVectors];
    for (int v = 0; v < kVectors; ++v) weight[v] = Products::Load(p + j * kWidth + v * kLanes);
    for (int c = 0; c < kChannels; ++c) {
      const auto element = Products::Same(values[j * v_stride + c]);
      for (int v = 0; v < kVectors; ++v) {
        const FloatVec added = Products::Add(element, weight[v], sum[c][v]);
        if constexpr (kSkipHidden) {
          sum[c][v] = hn::IfNegativeThenElse(weight[v], sum[c][v], added);
        } else {
          sum[c][v] = added;
        }
      }
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[c][v], df, o + c * kWidth + v * kLanes);
  }
}

// The same for all channels: whole tiles, then halves of them.
template <class Products, int kVectors, int kChannels, bool kSkipHidden>
HWY_INLINE void SumTiles(const typename Products::Element* p, std::int64_t keys,
                         const typename Products::Element* values, std::int64_t v_stride,
                         std::int64_t channels, float* o) {
  constexpr std::int64_t kWidth = kVectors * kLanes;
  std::int64_t c = 0;
  for (; c + kChannels <= channels; c += kChannels) {
    SumTile<Products, kVectors, kChannels, kSkipHidden>(p, keys, values + c, v_stride,
                                                        o + c * kWidth);
  }
  if constexpr (kChannels > 1) {
    SumTiles<Products, kVectors, kChannels / 2, kSkipHidden>(p, keys, values + c, v_stride,
                                                             channels - c, o + c * kWidth);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
