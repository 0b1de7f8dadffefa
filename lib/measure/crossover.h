// The size n at which the faster of two curves changes.
//
// Between two sizes the times are interpolated on log-log scales. At each size that both curves
// have the order of the two is decided when the 95 % bootstrap interval of the ratio of their
// medians leaves out 1; where there are too few samples for intervals, by the medians alone, and
// that is said. A crossover lies between two neighbouring decided sizes of opposite order. Of
// several the last is given and the others are named in the reason. Where there is none in the
// range, the fits that are preferred are followed beyond the largest size, at most kFarthest times
// as far, and a crossover found there says that it comes from them.
#ifndef ATTNLAB_MEASURE_CROSSOVER_H_
#define ATTNLAB_MEASURE_CROSSOVER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/replicates.h"

namespace attnlab {

inline constexpr double kFarthest = 16;

struct TimedCurve {
  std::string name;
  std::vector<SizedSamples> sizes;
};

struct TimedCrossover {
  // From n on; without n: at the largest size at which that can be told, or the curves in their
  // order where it can be told nowhere.
  std::string slower, faster;
  // With its 95 % bootstrap interval. An end that is open (or, without intervals, both) has no
  // value.
  std::optional<double> n, n_low, n_high;
  // How n was found, or why there is none: "none in the range: ..."
  std::string reason;
  bool is_extrapolated = false;  // from the fits, beyond the data
};

// For every pair of curves, in their order.
std::vector<TimedCrossover> find_crossovers(std::span<const TimedCurve> curves, std::uint64_t seed);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_CROSSOVER_H_
