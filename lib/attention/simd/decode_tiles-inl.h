// The inner loops of the decode kernel: scores of a few keys for a few rows, and weighted sums of
// values. Channels are on the lanes; a key or value is read and widened once for all rows of a
// tile. q [rows, D] and o [rows, Dv] float32   k [keys, D]   v [keys, Dv]   scores [rows, keys]
// Every number of scores and o has the same bits whatever tile it is computed in.
#if defined(ATTNLAB_ATTENTION_SIMD_DECODE_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_DECODE_TILES_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_DECODE_TILES_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_DECODE_TILES_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "attention/simd/exp2-inl.h"
#include "attention/simd/widen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

constexpr auto kDecodeLanes = static_cast<std::int64_t>(HWY_LANES(float));
// Tiles hold eight vectors of sums, or sixteen where there are 32 registers.
constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON;
constexpr int kScoreRows = kManyRegisters ? 4 : 2;   // of four keys
constexpr int kAddVectors = kManyRegisters ? 4 : 2;  // of four rows

// Rows of memory at equal distances, read once each.
template <class T>
struct Stream {
  const T* first;
  std::int64_t stride;
  const T* row(std::int64_t i) const { return first + i * stride; }
};

// Rows that will be read soon, asked for little by little while as many keys are worked on in some
// passes over them. Only rows without gaps are asked for.
template <class T>
class Ahead {
 public:
  Ahead() = default;
  // Rows of `size` elements from row `first` of the stream on.
  HWY_INLINE Ahead(const Stream<T>& rows, std::int64_t first, std::int64_t size,
                   std::int64_t passes)
      : next_(rows.row(first)), asked_(next_), step_(rows.stride == size ? size / passes : 0) {}
  // For `keys` keys of a pass.
  HWY_INLINE void Ask(std::int64_t keys) {
    constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
    for (next_ += keys * step_; asked_ < next_; asked_ += kLine) hwy::Prefetch(asked_);
  }

 private:
  const T* next_ = nullptr;
  const T* asked_ = nullptr;
  std::int64_t step_ = 0;  // elements a key
};
// Adds the upper half of the lanes to the lower one until four are left.
template <class D, class V>
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> FoldToFour(D d, V v) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return FoldToFour(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// The sums of the lanes of each of four vectors.
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> SumsOfLanes(FloatVec a, FloatVec b, FloatVec c,
                                                       FloatVec d) {
  const FloatTag df;
  const hn::Repartition<std::uint64_t, FloatTag> dp;  // pairs of float32
  const auto ab =
      hn::BitCast(dp, hn::Add(hn::InterleaveLower(df, a, b), hn::InterleaveUpper(df, a, b)));
  const auto cd =
      hn::BitCast(dp, hn::Add(hn::InterleaveLower(df, c, d), hn::InterleaveUpper(df, c, d)));
  return FoldToFour(df, hn::Add(hn::BitCast(df, hn::InterleaveLower(dp, ab, cd)),
                                hn::BitCast(df, hn::InterleaveUpper(dp, ab, cd))));
}

// scores[r][t] = q[r] . k[t] for keys t < kKeys, a multiple of 4, and rows r < kRows.
template <int kRows, int kKeys, class T>
HWY_INLINE void ScoreTile(const float* q, const T* const (&k)[kKeys], std::int64_t d, float* scores,
                          std::int64_t score_stride) {
  const FloatTag df;
  FloatVec sum[kRows][kKeys];
  for (int r = 0; r < kRows; ++r) {
    for (int t = 0; t < kKeys; ++t) sum[r][t] = hn::Zero(df);
  }
  std::int64_t c = 0;
  for (; c + kDecodeLanes <= d; c += kDecodeLanes) {
    FloatVec query[kRows];
    for (int r = 0; r < kRows; ++r) query[r] = hn::LoadU(df, q + r * d + c);
    for (int t = 0; t < kKeys; ++t) {
      const FloatVec key = LoadWide(k[t] + c);
      for (int r = 0; r < kRows; ++r) sum[r][t] = hn::MulAdd(query[r], key, sum[r][t]);
    }
  }
  const hn::FixedTag<float, 4> four;
  HWY_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (int t = 0; t < kKeys; t += 4) {
      hn::StoreU(SumsOfLanes(sum[r][t], sum[r][t + 1], sum[r][t + 2], sum[r][t + 3]), four,
                 scores + r * score_stride + t);
    }
  }
  for (; c < d; ++c) {
    for (int r = 0; r < kRows; ++r) {
      for (int t = 0; t < kKeys; ++t) {
        scores[r * score_stride + t] += q[r * d + c] * ToFloat(k[t][c]);
      }
    }
  }
}

// The same for `count` keys: scores are written up to the next multiple of 4.
template <int kRows, class T>
HWY_INLINE void ScoreRows(const float* q, const Stream<T>& k, std::int64_t count, std::int64_t d,
                          float* scores, std::int64_t score_stride, Ahead<T>& ahead) {
  constexpr int kKeys = kRows == 1 ? 8 : 4;
  std::int64_t j = 0;
  for (; j + kKeys <= count; j += kKeys) {
    ahead.Ask(kKeys);
    const T* rows[kKeys];
    for (int t = 0; t < kKeys; ++t) rows[t] = k.row(j + t);
    ScoreTile<kRows>(q, rows, d, scores + j, score_stride);
  }
  for (; j < count; j += 4) {
    const T* rows[4];
    for (int t = 0; t < 4; ++t) rows[t] = k.row(std::min(j + t, count - 1));
    ScoreTile<kRows>(q, rows, d, scores + j, score_stride);
  }
}

// o[r] += sum over keys of weights[r][j] v[j], for kVectors vectors of channels.
template <int kRows, int kVectors, class T>
HWY_INLINE void AddTile(const float* weights, std::int64_t weight_stride, const Stream<T>& v,
                        std::int64_t keys, float* o, std::int64_t o_stride, Ahead<T>& ahead) {
  const FloatTag df;
  FloatVec sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kVectors; ++i) {
      sum[r][i] = hn::LoadU(df, o + r * o_stride + i * kDecodeLanes);
    }
  }
  const auto add = [&](std::int64_t j) HWY_ATTR {
    FloatVec weight[kRows];
    for (int r = 0; r < kRows; ++r) weight[r] = hn::Set(df, weights[r * weight_stride + j]);
    for (int i = 0; i < kVectors; ++i) {
      const FloatVec value = LoadWide(v.row(j) + i * kDecodeLanes);
      for (int r = 0; r < kRows; ++r) sum[r][i] = hn::MulAdd(weight[r], value, sum[r][i]);
    }
  };
  std::int64_t j = 0;
  for (; j + 4 <= keys; j += 4) {
    ahead.Ask(4);
    HWY_UNROLL(4)
    for (std::int64_t i = 0; i < 4; ++i) add(j + i);
  }
  for (; j < keys; ++j) add(j);
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kVectors; ++i) {
      hn::StoreU(sum[r][i], df, o + r * o_stride + i * kDecodeLanes);
    }
  }
}

// The same for all channels: as many at once as a tile holds, then half of them, and so on.
template <int kRows, int kVectors, class T>
HWY_INLINE void AddRows(const float* weights, std::int64_t weight_stride, const Stream<T>& v,
                        std::int64_t keys, std::int64_t dv, float* o, std::int64_t o_stride,
                        Ahead<T>& ahead) {
  std::int64_t c = 0;
  for (; c + kVectors * kDecodeLanes <= dv; c += kVectors * kDecodeLanes) {
    AddTile<kRows, kVectors, T>(weights, weight_stride, {v.first + c, v.stride}, keys, o + c,
                                o_stride, ahead);
  }
  if constexpr (kVectors > 1) {
    AddRows<kRows, kVectors / 2, T>(weights, weight_stride, {v.first + c, v.stride}, keys, dv - c,
                                    o + c, o_stride, ahead);
  } else {
    for (int r = 0; r < kRows; ++r) {
      for (std::int64_t rest = c; rest < dv; ++rest) {
        float& sum = o[r * o_stride + rest];
        for (std::int64_t j = 0; j < keys; ++j) {
          sum += weights[r * weight_stride + j] * ToFloat(v.row(j)[rest]);
        }
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
