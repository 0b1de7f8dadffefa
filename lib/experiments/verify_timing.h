// Times for claims: kernels at several lengths, measured in turns within one run, on one thread and
// in seconds of processor time, so that other processes that take the cores do not count.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_TIMING_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_TIMING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/verify_claim.h"
#include "measure/replicates.h"

namespace attnlab {

// Something to be timed, at one length.
struct TimedCall {
  double n;
  std::function<void(ThreadTeam& one_thread)> run;
};
// A curve of times: what it is called and its calls in ascending order of n.
struct TimedCalls {
  std::string name;
  std::vector<TimedCall> calls;
};

// A kernel on random q, k, v of the problem, float32.
TimedCall kernel_call(const Kernel& kernel, const Problem& problem, double n);
// A kernel at these lengths of self-attention of one head of 64, changed by `change`.
TimedCalls kernel_calls(const ClaimContext& context, std::string_view kernel,
                        const std::vector<std::int64_t>& lengths,
                        const std::function<void(Problem&)>& change = nullptr);

// first, 2 first, ... up to last.
std::vector<std::int64_t> doublings(std::int64_t first, std::int64_t last);

// Thrown when the watch says stopped: what would follow has no samples to go by.
struct GaveUp {};

// The samples of every curve, one entry a curve. Rounds in a random order, as many as
// context.repeats, or as fit about `seconds` by the clock; at least kFewestSamples.
inline constexpr std::int64_t kFewestSamples = 7;
// Throws GaveUp.
std::vector<std::vector<SizedSamples>> take_times(const ClaimContext& context,
                                                  const std::vector<TimedCalls>& curves,
                                                  double seconds);

// The exponent of n in the time, with its 95 % interval.
struct Exponent {
  double value = 0;
  Interval interval{0, 0};
};
Exponent exponent_of(const std::vector<SizedSamples>& sizes, std::uint64_t seed);

// slower / faster: the median of the ratios of samples taken in the same rounds, with its interval.
struct Ratio {
  double value = 0;
  Interval interval{0, 0};
};
Ratio ratio_of(const SizedSamples& numerator, const SizedSamples& denominator, std::uint64_t seed);

// "1.98 (1.95 to 2.02)"
std::string with_interval(double value, const Interval& interval, int decimals = 2);

// Adds the exponent to the evidence and gives its interval. The limit between growing as n and as
// n^2 is 1.5: what lies across it is undecided.
inline constexpr double kBetweenLinearAndSquare = 1.5;
Exponent report_exponent(const std::string& name, const std::vector<SizedSamples>& sizes,
                         std::uint64_t seed, Findings& out);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_TIMING_H_
