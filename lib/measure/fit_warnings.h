// What a fit should be doubted for.
#ifndef ATTNLAB_MEASURE_FIT_WARNINGS_H_
#define ATTNLAB_MEASURE_FIT_WARNINGS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/fit.h"

namespace attnlab {

// The relative standard error of the median of each size: that of its replicates, at least 0.1 %;
// 5 % where there are too few samples to tell.
std::vector<double> relative_noise(std::span<const SizedSamples> sizes,
                                   const MedianReplicates& replicates);

// Whether the intercept is below 0 and noise does not explain that: its whole interval is below 0,
// or, where there is none, the intercept itself. `shortest` is the time of the smallest size.
bool has_negative_intercept(const Fit& fit, const std::optional<Interval>& intercept,
                            double shortest);

// In words, each with its meaning and remedy:
// - fewer than four sizes;
// - a negative intercept, as above;
// - residuals with a shape: their signs run longer than chance would let them, and they are larger
//   than noise explains (a chi-square test at 1 %; without the second condition five sizes would
//   often show a shape by chance).
std::vector<std::string> warnings_of(const Fit& fit, const std::optional<Interval>& intercept,
                                     double shortest, std::span<const double> noise);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_FIT_WARNINGS_H_
