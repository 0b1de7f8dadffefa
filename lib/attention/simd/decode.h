// The engine of the decode kernel: a few queries against a chunk of a long cache of keys, and the
// chunks put together. Every key and value is read once for all queries of a call.
#ifndef ATTNLAB_ATTENTION_SIMD_DECODE_H_
#define ATTNLAB_ATTENTION_SIMD_DECODE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "attention/simd/attend.h"

namespace attnlab {

struct DecodeRow {
  const std::byte* q;
  std::int64_t keys_seen;      // keys of the head that causality lets it see
  const void* mask = nullptr;  // of the head's first key
  std::int64_t mask_key_stride = 0;
};

// Keys [begin, end) of a head whose first key and value are at k and v.
struct DecodeKeys {
  const std::byte* k;
  const std::byte* v;
  std::int64_t k_stride, v_stride;
  std::int64_t begin, end;
  // Of int8, of the head's first key and value; null otherwise.
  const float* k_scales = nullptr;
  const float* v_scales = nullptr;
  std::int64_t k_scale_stride = 0, v_scale_stride = 0;
};

inline constexpr std::int64_t kMostDecodeRows = 16;  // of a call
inline constexpr std::int64_t kDecodeBlock = 64;     // keys between two looks at the maximum

// What one row asks memory for while it reads, chosen by measuring (docs/performance.md): keys so
// many bytes further on while keys are scored, values likewise while values are summed; in float32
// the next block's keys while values are summed.
constexpr std::int64_t decode_ahead_bytes(Dtype dtype) {
  return dtype == Dtype::kF32 ? 2048 : 3072;
}
constexpr bool decode_asks_for_next_keys(Dtype dtype) { return dtype == Dtype::kF32; }

// What one row makes of one chunk: [0] the largest score, [1] the sum of weights relative to it,
// from kPartialValues on the unnormalised sum of values.
inline constexpr std::int64_t kPartialValues = 16;
constexpr std::int64_t partial_size(const AttendJob& job) {
  return kPartialValues + (job.dv + 15) / 16 * 16;
}

struct DecodeEngine {
  Isa isa;
  // Row r's partial result to partials + r * partial_size(job).
  void (*chunk)(const AttendJob& job, const DecodeKeys& keys, std::span<const DecodeRow> rows,
                float* partials, std::byte* scratch);
  // Puts the partial results of one row together, in order; writes dv elements of o, zeros if no
  // chunk has a visible key. partials are `stride` floats apart.
  void (*merge)(const AttendJob& job, const float* partials, std::int64_t stride,
                std::int64_t chunks, float* o);
};

// One entry for each target of this build, best last.
std::span<const DecodeEngine> decode_engines();

std::int64_t decode_scratch_bytes(const AttendJob& job, std::int64_t rows);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_DECODE_H_
