// Bootstrap samples of times: processes are drawn with replacement, then the samples within each.
#ifndef ATTNLAB_MEASURE_RESAMPLE_H_
#define ATTNLAB_MEASURE_RESAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "measure/robust.h"

namespace attnlab {

inline constexpr int kResamples = 2000;

// A generator whose draws are the same on every machine (std::uniform_int_distribution is not).
class Resampler {
 public:
  explicit Resampler(std::uint64_t seed) : bits_(seed) {}

  // The numbers of `count` processes, drawn with replacement.
  std::vector<std::size_t> draw_processes(std::size_t count);
  // Appends to `out` as many samples of each of these processes as it has, drawn with replacement.
  void draw_samples(const ProcessSamples& samples, const std::vector<std::size_t>& processes,
                    std::vector<double>& out);

 private:
  std::size_t below(std::size_t count);

  std::mt19937_64 bits_;
};

// Without the processes that have no samples.
ProcessSamples without_empty(const ProcessSamples& samples);

// The ends of the 95 % interval of a statistic from its values over bootstrap samples of
// `processes` processes. Where there are several, the percentiles are those of Hesterberg's
// expanded interval (What Teachers Should Know about the Bootstrap, 2015, section 5.3): a handful
// of processes spreads less than what it was drawn from, and plain percentiles would be too narrow.
Interval percentile_interval(const std::vector<double>& values, std::size_t processes);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_RESAMPLE_H_
