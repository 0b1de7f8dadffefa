// Arrays of independent components of a law, variance 1: random q, k and v.
#ifndef ATTNLAB_RANDOM_FILL_H_
#define ATTNLAB_RANDOM_FILL_H_

#include <cstdint>
#include <span>

#include "machine/isa.h"
#include "random/law.h"

namespace attnlab {

struct FillSettings {
  Law law = Law::kNormal;
  double df = 10.0;  // of Student's t, above 2
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;  // streams of one seed are independent
};

// Fills out with elements first, first + 1, ... of the stream, by Philox; first >= 0. Element i is
// the same however the stream is cut into calls.
void fill_random(std::span<float> out, const FillSettings& settings, std::int64_t first = 0,
                 Isa isa = simd_isas().back());

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_FILL_H_
