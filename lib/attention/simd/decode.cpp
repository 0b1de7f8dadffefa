// Attention of a few queries to a chunk of keys with online softmax, channels on the lanes.
// Dao, Haziza, Massa, Sizov, Flash-Decoding for long-context inference, 2023 (keys split, partial
// results put together); running maximum from Milakov & Gimelshein 2018.
// q, k [.., D]   v, o [.., Dv]; int8 keys and values have a scale each: a score is multiplied by
// the key's, a weight by the value's. decode_tiles-inl.h has the inner loops.
#include "attention/simd/decode.h"

#include <algorithm>
#include <array>
#include <bit>

#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/decode.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/decode_tiles-inl.h"
#include "attention/simd/decode_weights-inl.h"
#include "machine/target_table.h"

#ifndef ATTNLAB_DECODE_ONCE  // what does not depend on the target
#define ATTNLAB_DECODE_ONCE
namespace attnlab {
namespace {

struct DecodeScratch {
  float* queries;   // [rows][D], multiplied by query_factor
  float* scores;    // [rows][block]
  float* k_scales;  // [block] of int8, and
  float* v_scales;  // [block], where they lie apart

  static DecodeScratch carve(const AttendJob& job, std::int64_t rows, Carver& carver) {
    const std::int64_t scales = job.dtype == Dtype::kInt8 ? kDecodeBlock : 0;
    return {carver.take<float>(rows * job.d), carver.take<float>(rows * kDecodeBlock),
            carver.take<float>(scales), carver.take<float>(scales)};
  }
};

}  // namespace
}  // namespace attnlab
#endif  // ATTNLAB_DECODE_ONCE

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace {

template <class T>
class Chunk {
 public:
  Chunk(const AttendJob& job, const DecodeKeys& keys, std::span<const DecodeRow> rows,
        float* partials, std::byte* scratch)
      : job_(job),
        keys_(keys),
        rows_(rows),
        count_(static_cast<std::int64_t>(rows.size())),
        partials_(partials) {
    Carver carver({scratch, SIZE_MAX / 2});
    memory_ = DecodeScratch::carve(job, count_, carver);
  }

  HWY_INLINE void Run() const {
    std::int64_t seen = 0;  // by the row that sees most
    for (std::int64_t r = 0; r < count_; ++r) {
      Start(r);
      seen = std::max(seen, Row(r).keys_seen);
    }
    const std::int64_t last = std::min(keys_.end, seen);
    for (std::int64_t begin = keys_.begin; begin < last; begin += kDecodeBlock) {
      Block(begin, std::min(kDecodeBlock, last - begin));
    }
  }

 private:
  const DecodeRow& Row(std::int64_t r) const { return rows_[static_cast<std::size_t>(r)]; }
  float* Partial(std::int64_t r) const { return partials_ + r * partial_size(job_); }
  float* Values(std::int64_t r) const { return Partial(r) + kPartialValues; }
  float* Scores(std::int64_t r) const { return memory_.scores + r * kDecodeBlock; }
  const float* Query(std::int64_t r) const { return memory_.queries + r * job_.d; }

  void Start(std::int64_t r) const {
    float* const q = memory_.queries + r * job_.d;
    const Dtype dtype = job_.dtype == Dtype::kInt8 ? Dtype::kF32 : job_.dtype;
    WidenRows(Row(r).q, dtype, 0, 1, job_.d, q);
    for (std::int64_t c = 0; c < job_.d; ++c) q[c] *= job_.query_factor;
    std::fill_n(Partial(r), partial_size(job_), 0.0f);
    Partial(r)[0] = hn::GetLane(Unseen());
  }

  // All rows and `count` keys from `begin` on.
  HWY_INLINE void Block(std::int64_t begin, std::int64_t count) const {
    const Stream<T> k{reinterpret_cast<const T*>(keys_.k) + begin * keys_.k_stride, keys_.k_stride};
    const Stream<T> v{reinterpret_cast<const T*>(keys_.v) + begin * keys_.v_stride, keys_.v_stride};
    Ahead<T> ahead = KeysAhead(k, v);
    std::int64_t r = 0;
    for (; r + kScoreRows <= count_; r += kScoreRows) Score<kScoreRows>(r, k, count, ahead);
    for (; r < count_; ++r) Score<1>(r, k, count, ahead);

    const float* const k_scales =
        BlockScales(keys_.k_scales, keys_.k_scale_stride, begin, count, memory_.k_scales);
    const float* const v_scales =
        BlockScales(keys_.v_scales, keys_.v_scale_stride, begin, count, memory_.v_scales);
    bool all_visible = true;
    std::array<std::uint64_t, kMostDecodeRows> visible;
    for (r = 0; r < count_; ++r) {
      const std::uint64_t seen =
          BlockWeights(job_, Row(r), {begin, count, k_scales, v_scales}, Scores(r), Partial(r));
      visible[static_cast<std::size_t>(r)] = seen;
      all_visible = all_visible && seen == LowBits(count);
    }
    r = 0;
    if (HWY_LIKELY(all_visible)) {
      ahead = ValuesAhead(k, v);
      for (; r + 4 <= count_; r += 4) Add<4, kAddVectors>(r, 0, v, count, ahead);
      for (; r + 2 <= count_; r += 2) Add<2, 2 * kAddVectors>(r, 0, v, count, ahead);
      for (; r < count_; ++r) Add<1, 8>(r, 0, v, count, ahead);
      return;
    }
    // Hidden keys are left out, not multiplied by zero: their values may be NaN or Inf.
    for (; r < count_; ++r) {
      for (std::int64_t j = 0; j < count;) {
        const std::uint64_t from_j = visible[static_cast<std::size_t>(r)] >> j;
        const std::int64_t run = std::countr_one(from_j);
        if (run > 0) Add<1, 8>(r, j, v, run, ahead);
        const std::uint64_t hidden_first = run < 64 ? from_j >> run : 0;
        j += run + std::max(1, std::countr_zero(hidden_first));
      }
    }
  }

  // What is asked for while keys are scored, and while values are summed. Several rows pass over a
  // block several times, over pieces of its rows: the other block is then asked for as a whole.
  HWY_INLINE Ahead<T> KeysAhead(const Stream<T>& k, const Stream<T>& v) const {
    if (count_ > 1) return {v, 0, job_.dv, (count_ + kScoreRows - 1) / kScoreRows};
    return {k, RowsAhead(job_.d), job_.d, 1};
  }
  HWY_INLINE Ahead<T> ValuesAhead(const Stream<T>& k, const Stream<T>& v) const {
    const std::int64_t channels = (count_ > 1 ? kAddVectors : 8) * kDecodeLanes;
    const std::int64_t passes = (count_ + 3) / 4 * ((job_.dv + channels - 1) / channels);
    if (count_ > 1 || decode_asks_for_next_keys(kDtypeOf<T>))
      return {k, kDecodeBlock, job_.d, passes};
    return {v, RowsAhead(job_.dv), job_.dv, passes};
  }
  static std::int64_t RowsAhead(std::int64_t size) {
    return std::max<std::int64_t>(
        decode_ahead_bytes(kDtypeOf<T>) / (size * std::int64_t{sizeof(T)}), 1);
  }

  template <int kRows>
  HWY_INLINE void Score(std::int64_t r, const Stream<T>& k, std::int64_t count,
                        Ahead<T>& ahead) const {
    ScoreRows<kRows>(Query(r), k, count, job_.d, Scores(r), kDecodeBlock, ahead);
  }
  // Rows r ... and keys [first, first + count) of the block.
  template <int kRows, int kVectors>
  HWY_INLINE void Add(std::int64_t r, std::int64_t first, const Stream<T>& v, std::int64_t count,
                      Ahead<T>& ahead) const {
    AddRows<kRows, kVectors, T>(Scores(r) + first, kDecodeBlock, {v.row(first), v.stride}, count,
                                job_.dv, Values(r), partial_size(job_), ahead);
  }

  // `count` scales as whole vectors, side by side: where they are, or copied to `copy`.
  HWY_INLINE const float* BlockScales(const float* scales, std::int64_t stride, std::int64_t begin,
                                      std::int64_t count, float* copy) const {
    if (scales == nullptr) return nullptr;
    scales += begin * stride;
    if (stride == 1 && count == kDecodeBlock) return scales;
    for (std::int64_t j = 0; j < kDecodeBlock; ++j) copy[j] = j < count ? scales[j * stride] : 0;
    return copy;
  }

  const AttendJob& job_;
  const DecodeKeys& keys_;
  std::span<const DecodeRow> rows_;
  std::int64_t count_;
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
  } else if (job.dtype == Dtype::kInt8) {
    Chunk<std::int8_t>(job, keys, rows, partials, scratch).Run();
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
