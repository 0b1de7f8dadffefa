// Softmax row statistics of many random rows, and where one value lies among them: the entropy
// experiment's many-trials mode.
#ifndef ATTNLAB_ANALYSIS_TRIAL_STATISTICS_H_
#define ATTNLAB_ANALYSIS_TRIAL_STATISTICS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/watch.h"
#include "machine/isa.h"
#include "machine/thread_team.h"
#include "random/scores.h"

namespace attnlab {

// One value a trial, in order of trials.
struct TrialStatistics {
  std::vector<double> spread;  // NaN at temperature 0
  std::vector<double> entropy, max_weight, gradient_scale;
};

// Rows of trials 0 .. trials - 1 under one scale factor and temperature (softmax_row.h). The same
// bits for any size of the team. Meaningless once the watch says stopped.
TrialStatistics run_trials(const ScoreSettings& settings, double scale, double temperature,
                           std::int64_t trials, ThreadTeam& team, Watch& watch,
                           Isa isa = simd_isas().back());

// The memory that run_trials and one summary at a time take, in bytes.
double trial_statistics_bytes(const ScoreSettings& settings, std::int64_t trials, int threads);

inline constexpr std::array<double, 7> kPercentiles = {1, 5, 25, 50, 75, 95, 99};

struct Summary {
  double mean = 0.0;
  double standard_error = 0.0;                            // of the mean; NaN for a single value
  std::array<double, kPercentiles.size()> percentiles{};  // at kPercentiles
};

// Of at least one value; all fields are NaN if a value is. Interpolates percentiles linearly
// between the order statistics (Hyndman and Fan's type 7, numpy's default).
Summary summarize(std::span<const double> values);

// The share of values below `value` plus half the share equal to it, in 0 .. 100; NaN if value is.
double percentile_rank(std::span<const double> values, double value);

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_TRIAL_STATISTICS_H_
