// Robust statistics of times: medians, quantiles, and 95 % intervals by bootstrap over processes
// and the samples within them (Kalibera & Jones, Rigorous Benchmarking in Reasonable Time, 2013,
// section 8). Values are seconds or whatever the samples are; nothing here reads a clock.
#ifndef ATTNLAB_MEASURE_ROBUST_H_
#define ATTNLAB_MEASURE_ROBUST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnlab {

// One list a process, in order of measurement. A process without samples counts for nothing.
using ProcessSamples = std::vector<std::vector<double>>;

struct Interval {
  double low, high;
};

// Below so many samples in all there is no interval.
inline constexpr std::size_t kLeastSamples = 6;

// The middle value, or the mean of the two middle ones, of at least one value.
double median(std::span<const double> values);

// The value below which a share p (0..1) of at least one value lies, by linear interpolation
// between the order statistics (R's type 7).
double quantile(std::span<const double> values, double p);

// All samples of all processes, process after process.
std::vector<double> pooled(const ProcessSamples& samples);

// The 95 % bootstrap interval of the median of all samples; no value below kLeastSamples. The same
// seed gives the same interval on any machine.
std::optional<Interval> median_interval(const ProcessSamples& samples, std::uint64_t seed);

// Where the median of another measurement of as many processes falls in 95 of 100: such a median is
// as uncertain as this one, so the difference of the two is sqrt(2) times as wide as either. That
// many times wider than median_interval(), as ratios to the median.
std::optional<Interval> repetition_interval(const ProcessSamples& samples, std::uint64_t seed);

struct SampleSummary {
  double median, mean;
  double std;    // of all samples, ddof 1; 0 for one sample
  double noise;  // interquartile range / median; 0 where the median is 0
  // Of the median for one process, which knows nothing of what another would measure; of a
  // repetition for several.
  std::optional<Interval> interval;
};

// Of at least one sample.
SampleSummary summarize(const ProcessSamples& samples, std::uint64_t seed);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_ROBUST_H_
