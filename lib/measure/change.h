// How much a time changed between two measurements, old to new: the ratio of medians, its 95 %
// interval, and how surely it is beyond a threshold. The unit is the process, calls are nested in
// it (Kalibera & Jones, Rigorous Benchmarking in Reasonable Time, 2013): a process draws where its
// memory lies and which core it starts on once, so calls of one process tell nothing of the next.
#ifndef ATTNLAB_MEASURE_CHANGE_H_
#define ATTNLAB_MEASURE_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/robust.h"

namespace attnlab {

// One measurement: seconds a call, one list a process, all above 0. With a reference, what is
// compared is the time over the reference's, which the same processes measured: as many lists.
struct TimedSide {
  ProcessSamples times;
  ProcessSamples reference{};
};

struct Change {
  double ratio = 1;  // new over old
  // No interval where a side has too few processes to know how processes differ: two, or six where
  // they are compared in pairs.
  std::optional<Interval> interval{};
  // Of the hypothesis that the ratio lies within 1/(1 + threshold) to 1 + threshold; two-sided.
  std::optional<double> p{};
};

// Of measurements that are independent of each other. The ratio is that of the medians of all
// samples; its logarithm has the standard error of a hierarchical bootstrap, widened for the few
// processes by sqrt(P/(P - 1)), and Student's t with Welch's degrees of freedom (Hesterberg, What
// Teachers Should Know about the Bootstrap, 2015, sections 4.1 and 5.3). threshold >= 0. At least
// one sample a side.
Change independent_change(const TimedSide& base, const TimedSide& now, double threshold,
                          std::uint64_t seed);

// Of processes that ran in turns, process i of one side beside process i of the other, so that what
// drifts meets both: Wilcoxon's signed-rank test on the logarithms of the ratios of the processes'
// medians, with its Hodges-Lehmann estimate and interval (Hollander & Wolfe, Nonparametric
// Statistical Methods, 1999, sections 3.1-3.3). It is exact whatever the noise, if only the pairs
// are independent and who went first is drawn by lot. Both sides have as many processes, each a
// sample.
Change paired_change(const TimedSide& base, const TimedSide& now, double threshold);
inline constexpr std::size_t kLeastPairs = 6;  // fewer have no 95 % interval

// The p-values made larger so that at most 5 % of tables without any change show one below 0.05
// (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979), in their order.
std::vector<double> holm_adjusted(std::span<const double> p);

// How many processes, or pairs, would tell on which side of the threshold a change is that `count`
// of them leave open; no value when that is more than a thousand.
std::optional<std::size_t> processes_to_decide(const Change& change, double threshold,
                                               std::size_t count);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_CHANGE_H_
