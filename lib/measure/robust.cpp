#include "measure/robust.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "measure/resample.h"

namespace attnlab {

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double p) {
  ATTNLAB_CHECK(!values.empty() && p >= 0 && p <= 1);
  std::vector<double> sorted(values.begin(), values.end());
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  const double share = place - static_cast<double>(below);
  std::nth_element(sorted.begin(), sorted.begin() + below, sorted.end());
  const double low = sorted[static_cast<std::size_t>(below)];
  if (share == 0) return low;
  const double high = *std::min_element(sorted.begin() + below + 1, sorted.end());
  return low + share * (high - low);
}

std::vector<double> pooled(const ProcessSamples& samples) {
  std::vector<double> out;
  for (const std::vector<double>& own : samples) out.insert(out.end(), own.begin(), own.end());
  return out;
}

std::optional<Interval> median_interval(const ProcessSamples& samples, std::uint64_t seed) {
  const ProcessSamples processes = without_empty(samples);
  if (pooled(processes).size() < kLeastSamples) return std::nullopt;
  Resampler resampler(seed);
  std::vector<double> medians, drawn;
  for (int i = 0; i < kResamples; ++i) {
    drawn.clear();
    resampler.draw_samples(processes, resampler.draw_processes(processes.size()), drawn);
    medians.push_back(median(drawn));
  }
  return percentile_interval(medians, processes.size());
}

std::optional<Interval> repetition_interval(const ProcessSamples& samples, std::uint64_t seed) {
  std::optional<Interval> out = median_interval(samples, seed);
  const double centre = out ? median(pooled(samples)) : 0;
  if (centre <= 0) return out;
  for (double* end : {&out->low, &out->high}) {
    *end = centre * std::pow(std::max(*end, 0.0) / centre, std::sqrt(2.0));
  }
  return out;
}

SampleSummary summarize(const ProcessSamples& samples, std::uint64_t seed) {
  const std::vector<double> all = pooled(samples);
  ATTNLAB_CHECK(!all.empty());
  SampleSummary out{};
  out.median = median(all);
  // About the median, so that equal samples have exactly their own mean and no deviation.
  double sum = 0, squares = 0;
  const double count = static_cast<double>(all.size());
  for (const double value : all) sum += value - out.median;
  out.mean = out.median + sum / count;
  for (const double value : all) squares += (value - out.mean) * (value - out.mean);
  out.std = all.size() < 2 ? 0 : std::sqrt(squares / (count - 1));
  if (out.median != 0) out.noise = (quantile(all, 0.75) - quantile(all, 0.25)) / out.median;
  out.interval = without_empty(samples).size() > 1 ? repetition_interval(samples, seed)
                                                   : median_interval(samples, seed);
  return out;
}

}  // namespace attnlab
