// The engine of the streamed softmax statistics: what is known of attention rows without storing
// their weights, on each SIMD target. The first pass goes over all keys with a running maximum, as
// attention itself does; the second, where it is wanted, knows each row's maximum and denominator.
#ifndef ATTNLAB_ANALYSIS_SIMD_STREAM_H_
#define ATTNLAB_ANALYSIS_SIMD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "attention/simd/attend.h"
#include "machine/isa.h"

namespace attnlab {

// Sums of one row over the keys it sees. Scores are AttendJob's; exponents t = job.exponent (score
// - largest), weights 2^t. At temperature 0 the weights below the largest are 0.
struct StreamRow {
  float largest, smallest;  // -inf, +inf when no key is seen
  float unscaled;           // largest |q.k| query_factor, before a mask is added
  float first;              // score of key 0; -inf when it is not seen
  double visible;           // keys seen
  double ties;              // keys with the largest score
  double small;             // sum of the weights of all others
  double weighted;          // sum of t times weight
};

// What the second pass knows of a row; 0 as `inverse` leaves a row out of all sums.
struct StreamLimits {
  float largest;
  float inverse;  // 1 / denominator
  float below;    // keys with score - largest below this have a weight that is zero; -inf: none
};

// What the second pass adds up for keys first ... first + count - 1.
struct StreamSums {
  std::int64_t first, count;
  double* weights;         // [count] sums over the rows; null: not wanted
  double* queries;         // [count] rows that see the key; null with weights
  std::int64_t zeros = 0;  // keys, over all rows, whose weight is zero
};

struct StreamEngine {
  Isa isa;
  std::int64_t tile_queries;

  // Writes a StreamRow for each row of the group. job.dv is 0, values and outputs are not looked
  // at. careful: keys whose score is -inf are hidden even where no mask is (operands that hold
  // Inf). Each row's bits depend on its keys alone, not on the group.
  void (*first_pass)(const AttendJob& job, const AttendRows& rows, const KeyRun& run, bool careful,
                     StreamRow* out, std::byte* scratch);
  // Adds the rows of the group to the sums. Tiles of rows of which nothing is wanted are passed by.
  void (*second_pass)(const AttendJob& job, const AttendRows& rows, const KeyRun& run, bool careful,
                      const StreamLimits* limits, StreamSums& sums, std::byte* scratch);
};

// One entry for each target of this build, best last.
std::span<const StreamEngine> stream_engines();

// Scratch for one call with at most that many rows.
std::int64_t stream_scratch_bytes(const StreamEngine& engine, const AttendJob& job,
                                  std::int64_t rows);

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_SIMD_STREAM_H_
