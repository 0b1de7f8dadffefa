// Attention of a few queries to a chunk of keys with online softmax, channels on the lanes.
// Dao, Haziza, Massa, Sizov, Flash-Decoding for long-context inference, 2023 (keys split, partial
// results put together); running maximum from Milakov & Gimelshein 2018.
// q, k [.., D]   v, o [.., Dv]
#include "attention/simd/decode.h"

#include <algorithm>

#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/decode.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/exp2-inl.h"
#include "attention/simd/widen-inl.h"
#include "machine/target_table.h"

#ifndef ATTNLAB_DECODE_ONCE  // what does not depend on the target
#define ATTNLAB_DECODE_ONCE
namespace attnlab {
namespace {

constexpr std::int64_t kDecodeBlock = 64;  // keys between two looks at the running maximum

struct DecodeScratch {
  float* queries;  // [rows][D], multiplied by query_factor
  float* scores;   // [block]

  static DecodeScratch carve(const AttendJob& job, std::int64_t rows, Carver& carver) {
    return {carver.take<float>(rows * job.d), carver.take<float>(kDecodeBlock)};
  }
};

}  // namespace
}  // namespace attnlab
#endif  // ATTNLAB_DECODE_ONCE

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

constexpr auto kDecodeLanes = static_cast<std::int64_t>(HWY_LANES(float));

HWY_INLINE FloatVec Unseen() { return hn::Set(FloatTag(), -hwy::HighestValue<float>() * 2); }

// scores[t] = q . k[t] for kKeys rows of keys
template <int kKeys, class T>
HWY_INLINE void Dots(const float* q, const T* k, std::int64_t stride, std::int64_t d,
                     float* scores) {
  const FloatTag df;
  FloatVec sum[kKeys];
  for (int t = 0; t < kKeys; ++t) sum[t] = hn::Zero(df);
  std::int64_t c = 0;
  for (; c + kDecodeLanes <= d; c += kDecodeLanes) {
    const FloatVec query = hn::LoadU(df, q + c);
    for (int t = 0; t < kKeys; ++t) {
      sum[t] = hn::MulAdd(query, LoadWide(k + t * stride + c), sum[t]);
    }
  }
  for (int t = 0; t < kKeys; ++t) {
    float total = hn::GetLane(hn::SumOfLanes(df, sum[t]));
    for (std::int64_t rest = c; rest < d; ++rest) total += q[rest] * ToFloat(k[t * stride + rest]);
    scores[t] = total;
  }
}

// o += sum over keys of weights[j] v[j], for kVectors vectors of channels
template <int kVectors, class T>
HWY_INLINE void AddValues(const float* weights, const T* v, std::int64_t stride, std::int64_t keys,
                          float* o) {
  const FloatTag df;
  FloatVec sum[kVectors];
  for (int i = 0; i < kVectors; ++i) sum[i] = hn::Load(df, o + i * kDecodeLanes);
  for (std::int64_t j = 0; j < keys; ++j) {
    const FloatVec weight = hn::Set(df, weights[j]);
    for (int i = 0; i < kVectors; ++i) {
      sum[i] = hn::MulAdd(weight, LoadWide(v + j * stride + i * kDecodeLanes), sum[i]);
    }
  }
  for (int i = 0; i < kVectors; ++i) hn::Store(sum[i], df, o + i * kDecodeLanes);
}

template <int kVectors, class T>
HWY_INLINE void AddAllValues(const float* weights, const T* v, std::int64_t stride,
                             std::int64_t keys, std::int64_t dv, float* o) {
  std::int64_t c = 0;
  for (; c + kVectors * kDecodeLanes <= dv; c += kVectors * kDecodeLanes) {
    AddValues<kVectors>(weights, v + c, stride, keys, o + c);
  }
  if constexpr (kVectors > 1) {
    AddAllValues<kVectors / 2>(weights, v + c, stride, keys, dv - c, o + c);
  } else {
    for (; c < dv; ++c) {
      for (std::int64_t j = 0; j < keys; ++j) o[c] += weights[j] * ToFloat(v[j * stride + c]);
    }
  }
}

namespace {

template <class T>
class Chunk {
 public:
  Chunk(const AttendJob& job, const DecodeKeys& keys, std::span<const DecodeRow> rows,
        float* partials, std::byte* scratch)
      : job_(job), keys_(keys), rows_(rows), partials_(partials) {
    Carver carver({scratch, SIZE_MAX / 2});
    memory_ = DecodeScratch::carve(job, static_cast<std::int64_t>(rows.size()), carver);
  }

  HWY_INLINE void Run() const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      float* const q = memory_.queries + static_cast<std::int64_t>(r) * job_.d;
      WidenRows(rows_[r].q, job_.dtype, 0, 1, job_.d, q);
      for (std::int64_t c = 0; c < job_.d; ++c) q[c] *= job_.query_factor;
      float* const partial = Partial(r);
      std::fill_n(partial, partial_size(job_), 0.0f);
      partial[0] = hn::GetLane(Unseen());
    }
    for (std::int64_t begin = keys_.begin; begin < keys_.end; begin += kDecodeBlock) {
      const std::int64_t end = std::min(begin + kDecodeBlock, keys_.end);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const std::int64_t seen = std::min(end, rows_[r].keys_seen) - begin;
        if (seen > 0) Block(r, begin, seen);
      }
    }
  }

 private:
  float* Partial(std::size_t r) const {
    return partials_ + static_cast<std::int64_t>(r) * partial_size(job_);
  }

  // Row r and `count` keys from `begin` on.
  HWY_INLINE void Block(std::size_t r, std::int64_t begin, std::int64_t count) const {
    const FloatTag df;
    const T* const k = reinterpret_cast<const T*>(keys_.k) + begin * keys_.k_stride;
    const T* const v = reinterpret_cast<const T*>(keys_.v) + begin * keys_.v_stride;
    const float* const q = memory_.queries + static_cast<std::int64_t>(r) * job_.d;
    float* const scores = memory_.scores;
    std::int64_t j = 0;
    for (; j + 4 <= count; j += 4) {
      Dots<4>(q, k + j * keys_.k_stride, keys_.k_stride, job_.d, scores + j);
    }
    for (; j < count; ++j) Dots<1>(q, k + j * keys_.k_stride, keys_.k_stride, job_.d, scores + j);
    const float hidden = hn::GetLane(Unseen());
    if (job_.mask != MaskKind::kNone) ApplyMask(rows_[r], begin, count);
    const std::int64_t padded = (count + kDecodeLanes - 1) / kDecodeLanes * kDecodeLanes;
    for (j = count; j < padded; ++j) scores[j] = hidden;

    float* const partial = Partial(r);
    const FloatVec before = hn::Set(df, partial[0]);
    FloatVec now = before;
    for (j = 0; j < padded; j += kDecodeLanes) now = hn::Max(hn::Load(df, scores + j), now);
    now = hn::MaxOfLanes(df, now);
    partial[0] = hn::GetLane(now);
    // While every key is hidden the maximum is -inf, and differences to it would be NaN.
    const FloatVec base = hn::IfThenZeroElse(hn::Eq(now, Unseen()), now);
    const FloatVec factor = Weight(before, base);
    if (!hn::AllTrue(df, hn::Eq(before, now))) {
      for (std::int64_t c = 0; c < job_.dv; c += kDecodeLanes) {
        float* const at = partial + kPartialValues + c;
        hn::Store(hn::Mul(hn::Load(df, at), factor), df, at);
      }
      partial[1] *= hn::GetLane(factor);
    }
    // Hidden keys are left out, not multiplied by zero: their values may be NaN or Inf.
    std::uint64_t visible = 0;
    for (j = 0; j < count; ++j) visible |= std::uint64_t{scores[j] != hidden} << j;
    FloatVec sum = hn::Zero(df);
    for (j = 0; j < padded; j += kDecodeLanes) {
      const FloatVec weight = Weight(hn::Load(df, scores + j), base);
      hn::Store(weight, df, scores + j);
      sum = hn::Add(sum, weight);
    }
    partial[1] += hn::GetLane(hn::SumOfLanes(df, sum));
    for (j = 0; j < count;) {
      std::int64_t run = 0;
      while (j + run < count && (visible >> (j + run) & 1) != 0) ++run;
      if (run > 0) {
        AddAllValues<8>(scores + j, v + j * keys_.v_stride, keys_.v_stride, run, job_.dv,
                        partial + kPartialValues);
      }
      j += run + 1;
    }
  }

  HWY_INLINE FloatVec Weight(FloatVec score, FloatVec largest) const {
    const FloatTag df;
    if (HWY_UNLIKELY(job_.argmax)) {
      return hn::IfThenElse(hn::Eq(score, largest), hn::Set(df, 1.0f),
                            hn::IfThenZeroElse(hn::Eq(score, score), score));  // NaN stays
    }
    return Exp2(hn::Mul(hn::Sub(score, largest), hn::Set(df, job_.exponent)));
  }

  void ApplyMask(const DecodeRow& row, std::int64_t begin, std::int64_t count) const {
    const float hidden = hn::GetLane(Unseen());
    const std::int64_t stride = row.mask_key_stride;
    for (std::int64_t j = 0; j < count; ++j) {
      float& score = memory_.scores[j];
      if (job_.mask == MaskKind::kBoolean) {
        if (static_cast<const std::uint8_t*>(row.mask)[(begin + j) * stride] == 0) score = hidden;
      } else {
        const float bias = static_cast<const float*>(row.mask)[(begin + j) * stride];
        score = bias == hidden ? hidden : score * job_.score_factor + bias;
      }
    }
  }

  const AttendJob& job_;
  const DecodeKeys& keys_;
  std::span<const DecodeRow> rows_;
  float* partials_;
  DecodeScratch memory_;
};

}  // namespace

void DecodeChunk(const AttendJob& job, const DecodeKeys& keys, std::span<const DecodeRow> rows,
                 float* partials, std::byte* scratch) {
  if (job.dtype == Dtype::kBf16) {
    Chunk<Bf16>(job, keys, rows, partials, scratch).Run();
  } else if (job.dtype == Dtype::kF16) {
    Chunk<F16>(job, keys, rows, partials, scratch).Run();
  } else {
    Chunk<float>(job, keys, rows, partials, scratch).Run();
  }
}

void DecodeMerge(const AttendJob& job, const float* partials, std::int64_t stride,
                 std::int64_t chunks, float* o) {
  const FloatTag df;
  const float unseen = hn::GetLane(Unseen());
  float largest = unseen;
  for (std::int64_t i = 0; i < chunks; ++i) largest = std::max(largest, partials[i * stride]);
  const float base = largest == unseen ? 0 : largest;
  const auto factor_of = [&](std::int64_t i) HWY_ATTR {
    const float before = partials[i * stride];
    if (job.argmax) return before == base ? 1.0f : 0.0f;
    return hn::GetLane(
        Exp2(hn::Mul(hn::Sub(hn::Set(df, before), hn::Set(df, base)), hn::Set(df, job.exponent))));
  };
  float total = 0;
  for (std::int64_t i = 0; i < chunks; ++i) total += factor_of(i) * partials[i * stride + 1];
  const float inverse = total == 0 ? 0 : 1 / total;  // 0: every key was hidden
  for (std::int64_t c = 0; c < job.dv; ++c) o[c] = 0;
  for (std::int64_t i = 0; i < chunks; ++i) {
    const float factor = factor_of(i);
    const float* const values = partials + i * stride + kPartialValues;
    for (std::int64_t c = 0; c < job.dv; ++c) o[c] += factor * values[c];
  }
  for (std::int64_t c = 0; c < job.dv; ++c) o[c] *= inverse;
}

constexpr DecodeEngine kDecodeEngine = {target_isa(HWY_TARGET), &DecodeChunk, &DecodeMerge};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const DecodeEngine> decode_engines() {
  static constexpr DecodeEngine kEngines[] = {ATTNLAB_EACH_TARGET(kDecodeEngine)};
  return kEngines;
}

std::int64_t decode_scratch_bytes(const AttendJob& job, std::int64_t rows) {
  Carver carver;
  DecodeScratch::carve(job, rows, carver);
  return carver.used();
}

}  // namespace attnlab
#endif  // HWY_ONCE
