#include "measure/change.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "measure/resample.h"

namespace attnlab {
namespace {

constexpr double kTail = 0.025;

double log_median(std::span<const double> times, std::span<const double> reference) {
  const double time = std::log(median(times));
  return reference.empty() ? time : time - std::log(median(reference));
}

double log_median(const TimedSide& side) {
  return log_median(pooled(side.times), pooled(side.reference));
}

// The variance of log_median() from process to process, as if it were known from infinitely many.
double bootstrap_variance(const TimedSide& side, Resampler& resampler) {
  const std::size_t processes = side.times.size();
  std::vector<double> times, reference;
  double sum = 0, squares = 0;
  const double center = log_median(side);
  for (int i = 0; i < kResamples; ++i) {
    const std::vector<std::size_t> drawn = resampler.draw_processes(processes);
    times.clear();
    reference.clear();
    resampler.draw_samples(side.times, drawn, times);
    if (!side.reference.empty()) resampler.draw_samples(side.reference, drawn, reference);
    const double value = log_median(times, reference) - center;
    sum += value;
    squares += value * value;
  }
  const double count = kResamples, of_processes = static_cast<double>(processes);
  const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1));
  return variance * of_processes / (of_processes - 1);
}

// Half of the probability that a change is within the threshold, from the two one-sided ones.
double two_sided(double not_above, double not_below) {
  return std::min(1.0, 2 * std::min(not_above, not_below));
}

// The probabilities P(T <= t) of the signed-rank statistic of `count` values, t = 0, 1, ...
std::vector<double> signed_rank_distribution(std::size_t count) {
  std::vector<double> density{1};
  for (std::size_t rank = 1; rank <= count; ++rank) {
    std::vector<double> next(density.size() + rank, 0.0);
    for (std::size_t t = 0; t < density.size(); ++t) {
      next[t] += density[t] / 2;
      next[t + rank] += density[t] / 2;
    }
    density = std::move(next);
  }
  std::partial_sum(density.begin(), density.end(), density.begin());
  return density;
}

// The means of all pairs of values, each with itself too, ascending.
std::vector<double> walsh_averages(const std::vector<double>& values) {
  std::vector<double> out;
  out.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) out.push_back((values[i] + values[j]) / 2);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Change independent_change(const TimedSide& base, const TimedSide& now, double threshold,
                          std::uint64_t seed) {
  ATTNLAB_CHECK(!base.times.empty() && !now.times.empty() && threshold >= 0);
  const double change = log_median(now) - log_median(base);
  Change out{std::exp(change)};
  if (base.times.size() < 2 || now.times.size() < 2) return out;
  Resampler resampler(seed);
  const double of_base = bootstrap_variance(base, resampler);
  const double of_now = bootstrap_variance(now, resampler);
  const double error = std::sqrt(of_base + of_now), limit = std::log1p(threshold);
  if (error == 0) {  // samples that are all equal
    out.interval = {out.ratio, out.ratio};
    out.p = std::abs(change) > limit ? 0.0 : 1.0;
    return out;
  }
  const auto degrees_of = [](double variance, std::size_t processes) {
    return variance * variance / static_cast<double>(processes - 1);
  };
  const double degrees =
      error * error * error * error /
      (degrees_of(of_base, base.times.size()) + degrees_of(of_now, now.times.size()));
  const boost::math::students_t law(degrees);
  const double half = boost::math::quantile(boost::math::complement(law, kTail)) * error;
  out.interval = {std::exp(change - half), std::exp(change + half)};
  out.p = two_sided(boost::math::cdf(law, (limit - change) / error),
                    boost::math::cdf(law, (limit + change) / error));
  return out;
}

Change paired_change(const TimedSide& base, const TimedSide& now, double threshold) {
  const std::size_t pairs = base.times.size();
  ATTNLAB_CHECK(pairs > 0 && now.times.size() == pairs && threshold >= 0);
  const auto of_process = [](const TimedSide& side, std::size_t i) {
    return log_median(side.times[i], side.reference.empty() ? std::span<const double>()
                                                            : std::span(side.reference[i]));
  };
  std::vector<double> changes;
  for (std::size_t i = 0; i < pairs; ++i) {
    changes.push_back(of_process(now, i) - of_process(base, i));
  }
  const std::vector<double> averages = walsh_averages(changes);
  Change out{std::exp(median(averages))};
  if (pairs < kLeastPairs) return out;
  const std::vector<double> at_most = signed_rank_distribution(pairs);
  // The first average that the test does not reject as the shift, from either end.
  const std::size_t rejected = static_cast<std::size_t>(
      std::upper_bound(at_most.begin(), at_most.end(), kTail) - at_most.begin());
  out.interval = {std::exp(averages[rejected - 1]), std::exp(averages[averages.size() - rejected])};
  // The statistic for a shift is the number of averages beyond it; one that meets it counts against
  // the change.
  const double limit = std::log1p(threshold);
  const auto not_above = std::upper_bound(averages.begin(), averages.end(), limit);
  const auto below = std::lower_bound(averages.begin(), averages.end(), -limit);
  out.p = two_sided(at_most[static_cast<std::size_t>(not_above - averages.begin())],
                    at_most[static_cast<std::size_t>(averages.end() - below)]);
  return out;
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, factor * p[order[i]]));
    out[order[i]] = largest;
  }
  return out;
}

std::optional<std::size_t> processes_to_decide(const Change& change, double threshold,
                                               std::size_t count) {
  constexpr double kMost = 1000;
  if (!change.interval) return std::nullopt;
  const double half = std::log(change.interval->high / change.interval->low) / 2;
  const double distance = std::abs(std::abs(std::log(change.ratio)) - std::log1p(threshold));
  // Half an interval shrinks as 1/sqrt(processes), and the next estimate is another one: a distance
  // of one and a half of it holds most of them.
  const double times = half * 1.5 / distance;
  const double needed = std::ceil(static_cast<double>(count) * times * times);
  if (!(needed <= kMost)) return std::nullopt;
  return std::max(static_cast<std::size_t>(needed), count + 1);
}

}  // namespace attnlab
