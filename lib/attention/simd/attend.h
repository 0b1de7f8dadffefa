// The engine of the blocked softmax kernels (flash, window, bigbird, strided): attention of a group
// of queries over some runs of keys with online softmax, on each SIMD target.
#ifndef ATTNLAB_ATTENTION_SIMD_ATTEND_H_
#define ATTNLAB_ATTENTION_SIMD_ATTEND_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "attention/stages.h"
#include "machine/isa.h"
#include "tensor/dtype.h"
#include "tensor/mask.h"

namespace attnlab {

// What is the same for all queries of a problem.
struct AttendJob {
  std::int64_t d, dv;
  Dtype dtype;         // of q, k, v
  float query_factor;  // queries are multiplied by it: ScoreScale::power
  float score_factor;  // scores are multiplied by it before a mask is added; 1 without a mask
  float exponent;      // weights are 2^(exponent (score - largest))
  bool argmax;         // temperature 0: the largest scores share the weight
  MaskKind mask;
  StageSet left_out{};  // of kAttendStages: for measurements, see attention/stages.h
};
inline constexpr StageSet kAttendStages(Stage::kScores, Stage::kSoftmax, Stage::kSum,
                                        Stage::kPacking, Stage::kConversion);

// A group of query rows and where their output goes.
struct AttendRows {
  const std::byte* q;
  std::int64_t q_stride;  // elements from row to row, as all strides here
  float* o;
  std::int64_t o_stride;
  std::int64_t count;
  Bf16* rounded = nullptr;  // if given, the output goes there instead, o_stride from row to row
  // A group may be continued over more keys by a later call: `suspend` leaves unnormalised sums in
  // o, the largest score and the sum of weights of row r at largest[r * stat_stride] and
  // sums[r * stat_stride]; `resume` starts from them.
  bool resume = false, suspend = false;
  float* largest = nullptr;
  float* sums = nullptr;
  std::int64_t stat_stride = 0;
};

// Row r of the group sees the keys from low + r * low_step to before high + r * high_step; steps
// are 0 or 1.
struct Band {
  std::int64_t low, high;
  std::int64_t low_step = 0, high_step = 0;

  std::int64_t low_of(std::int64_t row) const { return low + row * low_step; }
  std::int64_t high_of(std::int64_t row) const { return high + row * high_step; }
};

// A run of keys and values at equal distances.
struct KeyRun {
  const std::byte* k;
  const std::byte* v;
  std::int64_t k_stride, v_stride;
  std::int64_t count;
  Band band;                   // in keys of this run
  const void* mask = nullptr;  // of the group's first row and the run's first key
  std::int64_t mask_row_stride = 0, mask_key_stride = 0;
};

struct AttendEngine {
  Isa isa;
  Dtype products;             // what q, k, v and weights are rounded to where they are multiplied
  std::int64_t lanes;         // queries in a vector
  std::int64_t tile_queries;  // queries in a register tile: groups are best whole multiples of it

  // Scratch for one call with at most that many rows.
  std::int64_t (*scratch_bytes)(const AttendJob& job, std::int64_t rows);

  // o = softmax attention of the rows over all runs together. scratch: scratch_bytes().
  // Each row's bits depend on its keys alone, not on the group it is in.
  void (*attend)(const AttendJob& job, const AttendRows& rows, std::span<const KeyRun> runs,
                 std::byte* scratch);
};

// One entry for each target of this build, best last.
std::span<const AttendEngine> attend_engines();

// Keys processed between two looks at the running maximum: a block of k and v stays in the caches
// while the group's tiles pass over it.
constexpr std::int64_t key_block(std::int64_t d, std::int64_t dv) {
  return d + dv <= 128 ? 256 : d + dv <= 256 ? 128 : d + dv <= 512 ? 64 : 32;
}

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_ATTEND_H_
