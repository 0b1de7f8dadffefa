// The softmax of the decode kernel: scores of one row for a block of keys become weights, and what
// the row summed before is rescaled. Running maximum from Milakov & Gimelshein 2018.
// scores [block]   partial [partial_size]: largest score, sum of weights, unnormalised output
#if defined(ATTNLAB_ATTENTION_SIMD_DECODE_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_DECODE_WEIGHTS_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_DECODE_WEIGHTS_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_DECODE_WEIGHTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "attention/simd/decode.h"
#include "attention/simd/decode_tiles-inl.h"
#include "attention/simd/exp2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

HWY_INLINE FloatVec Unseen() { return hn::Set(FloatTag(), -hwy::HighestValue<float>() * 2); }

HWY_INLINE std::uint64_t LowBits(std::int64_t count) { return ~std::uint64_t{0} >> (64 - count); }

// Keys [begin, begin + count) of a head; scales of int8 up to the next whole vector, or null.
struct WeightBlock {
  std::int64_t begin, count;
  const float* k_scales;
  const float* v_scales;
};

template <int kCount>
HWY_INLINE void RelativeWeights(const AttendJob& job, FloatVec largest, FloatVec (&x)[kCount]) {
  const FloatTag df;
  if (HWY_UNLIKELY(job.argmax)) {
    for (FloatVec& score : x) {
      score = hn::IfThenElse(hn::Eq(score, largest), hn::Set(df, 1.0f),
                             hn::IfThenZeroElse(hn::Eq(score, score), score));  // NaN stays
    }
    return;
  }
  for (FloatVec& score : x) {
    score = hn::Mul(hn::Sub(score, largest), hn::Set(df, job.exponent));
  }
  Exp2(x);
}

// kCount vectors of scores become weights times v_scales; returns sum plus the weights without.
template <int kCount>
HWY_INLINE FloatVec AddWeights(const AttendJob& job, float* scores, FloatVec base,
                               const float* v_scales, FloatVec sum) {
  const FloatTag df;
  FloatVec x[kCount];
  for (int i = 0; i < kCount; ++i) x[i] = hn::Load(df, scores + i * kDecodeLanes);
  RelativeWeights(job, base, x);
  for (int i = 0; i < kCount; ++i) {
    sum = hn::Add(sum, x[i]);
    if (v_scales != nullptr) x[i] = hn::Mul(x[i], hn::LoadU(df, v_scales + i * kDecodeLanes));
    hn::Store(x[i], df, scores + i * kDecodeLanes);
  }
  return sum;
}

HWY_INLINE void RescalePartial(const AttendJob& job, FloatVec before, FloatVec base,
                               float* partial) {
  const FloatTag df;
  FloatVec factor[1] = {before};
  RelativeWeights(job, base, factor);
  for (std::int64_t c = 0; c < job.dv; c += kDecodeLanes) {
    float* const at = partial + kPartialValues + c;
    hn::Store(hn::Mul(hn::Load(df, at), factor[0]), df, at);
  }
  partial[1] *= hn::GetLane(factor[0]);
}

// What the mask, and causality, leave of the scores; those up to the next whole vector are hidden.
inline void HideScores(const AttendJob& job, const DecodeRow& row, std::int64_t begin,
                       std::int64_t count, std::int64_t padded, float* scores) {
  const float hidden = hn::GetLane(Unseen());
  const std::int64_t stride = row.mask_key_stride;
  for (std::int64_t j = 0; j < count && job.mask != MaskKind::kNone; ++j) {
    float& score = scores[j];
    if (job.mask == MaskKind::kBoolean) {
      if (static_cast<const std::uint8_t*>(row.mask)[(begin + j) * stride] == 0) score = hidden;
    } else {
      const float bias = static_cast<const float*>(row.mask)[(begin + j) * stride];
      score = bias == hidden ? hidden : score * job.score_factor + bias;
    }
  }
  const std::int64_t seen = std::clamp<std::int64_t>(row.keys_seen - begin, 0, count);
  for (std::int64_t j = seen; j < padded; ++j) scores[j] = hidden;
}

// Scores become weights relative to the row's new largest score, times the values' scales; what it
// summed before is rescaled. Returns a bit for each of the keys that the row sees.
HWY_INLINE std::uint64_t BlockWeights(const AttendJob& job, const DecodeRow& row,
                                      const WeightBlock& block, float* scores, float* partial) {
  const FloatTag df;
  const std::int64_t count = block.count;
  const std::int64_t padded = (count + kDecodeLanes - 1) / kDecodeLanes * kDecodeLanes;
  if (block.k_scales != nullptr) {
    for (std::int64_t j = 0; j < padded; j += kDecodeLanes) {
      const FloatVec scale = hn::LoadU(df, block.k_scales + j);
      hn::Store(hn::Mul(hn::Load(df, scores + j), scale), df, scores + j);
    }
  }
  HideScores(job, row, block.begin, count, padded, scores);

  const FloatVec before = hn::Set(df, partial[0]);
  FloatVec now = before;
  auto any_hidden = hn::FirstN(df, 0);
  for (std::int64_t j = 0; j < padded; j += kDecodeLanes) {
    const FloatVec score = hn::Load(df, scores + j);
    now = hn::Max(score, now);
    any_hidden = hn::Or(any_hidden, hn::Eq(score, Unseen()));
  }
  now = hn::MaxOfLanes(df, now);
  partial[0] = hn::GetLane(now);
  std::uint64_t visible = LowBits(count);
  if (HWY_UNLIKELY(!hn::AllFalse(df, any_hidden))) {
    visible = 0;
    const float hidden = hn::GetLane(Unseen());
    for (std::int64_t j = 0; j < count; ++j) visible |= std::uint64_t{scores[j] != hidden} << j;
  }
  // While every key is hidden the maximum is -inf, and differences to it would be NaN.
  const FloatVec base = hn::IfThenZeroElse(hn::Eq(now, Unseen()), now);
  if (!hn::AllTrue(df, hn::Eq(before, now))) RescalePartial(job, before, base, partial);
  FloatVec sum = hn::Zero(df);
  const auto v_scales = [&](std::int64_t j) {
    return block.v_scales == nullptr ? nullptr : block.v_scales + j;
  };
  std::int64_t j = 0;
  for (; j + 4 * kDecodeLanes <= padded; j += 4 * kDecodeLanes) {
    sum = AddWeights<4>(job, scores + j, base, v_scales(j), sum);
  }
  for (; j < padded; j += kDecodeLanes) {
    sum = AddWeights<1>(job, scores + j, base, v_scales(j), sum);
  }
  partial[1] += hn::GetLane(hn::SumOfLanes(df, sum));
  return visible;
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
