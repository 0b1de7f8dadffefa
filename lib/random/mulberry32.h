// mulberry32 (Tommy Ettinger's 32-bit generator), as the lesson uses it: the tables that it prints
// are reproduced digit by digit. The period is 2^32 numbers, far too short for long runs: Philox is
// the generator for those. The state is a counter, so any place in the stream is reached at once.
#ifndef ATTNLAB_RANDOM_MULBERRY32_H_
#define ATTNLAB_RANDOM_MULBERRY32_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace attnlab {

class Mulberry32 {
 public:
  // Starts behind the first `position` uniforms of the stream. Uses the low 32 bits of the seed.
  explicit Mulberry32(std::uint64_t seed, std::uint64_t position = 0)
      : state_(static_cast<std::uint32_t>(seed + position * kStep)) {}

  // A multiple of 2^-32 in [0, 1).
  double uniform() {
    state_ += kStep;
    std::uint32_t t = (state_ ^ (state_ >> 15)) * (state_ | 1u);
    t = (t + (t ^ (t >> 7)) * (t | 61u)) ^ t;
    return static_cast<double>(t ^ (t >> 14)) / 4294967296.0;
  }

  // Never zero, so that its logarithm is finite.
  double positive_uniform() { return std::max(uniform(), 1e-12); }

  // Box and Muller's cosine branch, from two uniforms; the sine value is thrown away.
  double normal() {
    const double u = positive_uniform();
    const double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

 private:
  static constexpr std::uint32_t kStep = 0x6D2B79F5u;
  std::uint32_t state_;
};

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_MULBERRY32_H_
