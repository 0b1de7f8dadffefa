#include "measure/crossover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "measure/curve_pair.h"
#include "measure/fit.h"
#include "measure/resample.h"

namespace attnlab {
namespace {

struct FittedCurve {
  const std::string& name;
  PreparedCurve prepared;
  std::optional<Fit> fit;  // the preferred one
};

FittedCurve prepare(const TimedCurve& curve, std::uint64_t seed, std::uint64_t number) {
  std::vector<SizedSamples> sizes = usable_sizes(curve.sizes);
  MedianReplicates replicates(sizes, seed, number);
  const std::vector<Fit> fits = fit_times(curve.sizes, seed);
  const Fit* preferred = preferred_fit(fits);
  return {curve.name,
          {std::move(sizes), std::move(replicates)},
          preferred ? std::optional<Fit>(*preferred) : std::nullopt};
}

// "128", "1.3e+06": a size in a message; a crossover lies between whole sizes.
std::string size_text(double n) {
  return n < 1e15 ? fmt::format("{:.0f}", n) : fmt::format("{:.2g}", n);
}

std::string sizes_text(const CurvePair& pair, int order) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < pair.n().size(); ++i) {
    if (pair.order()[i] == order) sizes.push_back(size_text(pair.n()[i]));
  }
  return join(sizes, ", ");
}

// Where one model passes the other beyond n = `from`: the first n, up to kFarthest times as far, at
// which the curve that was faster at `from` is not any more: `from` itself where it is not faster
// even there, no value where there is none.
std::optional<double> models_meet(const Fit& slower_after, const ModelCoefficients& slower_model,
                                  const Fit& faster_after, const ModelCoefficients& faster_model,
                                  double from) {
  const auto excess = [&](double log_n) {
    const double n = std::exp(log_n);
    return model_value(slower_after.form(), slower_model, n) -
           model_value(faster_after.form(), faster_model, n);
  };
  constexpr int kSteps = 200, kHalvings = 60;
  double low = std::log(from);
  const double step = std::log(kFarthest) / kSteps;
  if (excess(low) >= 0) return from;
  for (int i = 1; i <= kSteps; ++i) {
    double high = std::log(from) + i * step;
    if (excess(high) < 0) {
      low = high;
      continue;
    }
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = (low + high) / 2;
      (excess(middle) < 0 ? low : high) = middle;
    }
    return std::exp(high);
  }
  return std::nullopt;
}

std::optional<ModelCoefficients> refit(const FittedCurve& curve, std::size_t resample) {
  std::vector<double> n;
  for (const SizedSamples& one : curve.prepared.sizes) n.push_back(one.n);
  return fit_model(curve.fit->form(), n, curve.prepared.replicates[resample]);
}

// The interval of a crossing of fits: in replicates where they do not meet it is beyond reach, so
// the upper end may be open; where they meet before `from` it is `from`, up to which the data tell.
void set_fitted_interval(const FittedCurve& slower, const FittedCurve& faster, double from,
                         TimedCrossover& out) {
  const MedianReplicates& first = slower.prepared.replicates;
  const MedianReplicates& second = faster.prepared.replicates;
  if (!first.is_meaningful() || !second.is_meaningful()) return;
  constexpr double kBeyond = 1e300;
  std::vector<double> values;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto a = refit(slower, i), b = refit(faster, i);
    if (!a || !b) continue;
    values.push_back(models_meet(*slower.fit, *a, *faster.fit, *b, from).value_or(kBeyond));
  }
  if (values.empty()) return;
  const Interval interval =
      percentile_interval(values, std::min(first.processes(), second.processes()));
  if (interval.low < kBeyond / 1e6) out.n_low = interval.low;
  if (interval.high < kBeyond / 1e6) out.n_high = interval.high;
}

// Looks beyond the data for where the curve that is faster at the largest size ceases to be.
// Returns whether it found that.
bool extrapolate(const FittedCurve& slower_now, const FittedCurve& faster_now, double from,
                 TimedCrossover& out) {
  if (!slower_now.fit || !faster_now.fit) return false;
  const auto n = models_meet(*faster_now.fit, faster_now.fit->coefficients(), *slower_now.fit,
                             slower_now.fit->coefficients(), from);
  if (!n || *n <= from) return false;
  out.slower = faster_now.name;
  out.faster = slower_now.name;
  out.n = n;
  out.is_extrapolated = true;
  out.reason = fmt::format(
      "beyond the data, from the fits only: {} is {}, {} is {}; to n = {} {} is "
      "faster",
      out.slower, faster_now.fit->model, out.faster, slower_now.fit->model, size_text(from),
      faster_now.name);
  set_fitted_interval(faster_now, slower_now, from, out);
  return true;
}

std::string found_reason(const CurvePair& pair, const std::vector<CurvePair::Crossing>& crossings) {
  std::string out = "between n = " + size_text(pair.n()[crossings.back().before]) + " and " +
                    size_text(pair.n()[crossings.back().after]) +
                    ", interpolated on log-log scales";
  if (crossings.size() > 1) {
    std::vector<std::string> others;
    for (const auto& one : crossings) others.push_back(size_text(one.n));
    others.pop_back();
    out += "; the last of several: the order also changes at n = " + join(others, ", ");
  }
  if (!pair.has_intervals()) out += "; from medians alone: too few samples for an interval";
  const std::string undecided = sizes_text(pair, 0);
  if (!undecided.empty()) out += "; no order can be told at n = " + undecided;
  return out;
}

TimedCrossover crossover_of(const FittedCurve& first, const FittedCurve& second) {
  TimedCrossover out;
  out.slower = first.name;
  out.faster = second.name;
  const CurvePair pair(first.prepared, second.prepared);
  if (pair.n().empty()) {
    out.reason = "none: there is no n at which both were timed";
    return out;
  }
  const std::vector<CurvePair::Crossing> crossings = pair.crossings();
  if (!crossings.empty()) {
    const CurvePair::Crossing& last = crossings.back();
    if (last.slower < 0) std::swap(out.slower, out.faster);
    const CurvePair::OpenInterval interval = pair.interval_of(last);
    out.n = last.n;
    out.n_low = interval.low;
    out.n_high = interval.high;
    out.reason = found_reason(pair, crossings);
    return out;
  }
  const auto decided = std::find_if(pair.order().rbegin(), pair.order().rend(),
                                    [](int order) { return order != 0; });
  if (decided == pair.order().rend()) {
    out.reason = fmt::format("none: no order can be told at any n (n = {}): the intervals overlap",
                             sizes_text(pair, 0));
    return out;
  }
  if (*decided < 0) std::swap(out.slower, out.faster);
  const FittedCurve& slower = *decided > 0 ? first : second;
  const FittedCurve& faster = *decided > 0 ? second : first;
  const bool is_decided_at_end = pair.order().back() != 0;
  if (is_decided_at_end && extrapolate(slower, faster, pair.n().back(), out)) return out;
  const std::string undecided = sizes_text(pair, 0);
  if (undecided.empty()) {
    out.reason = fmt::format("none in the range: {} is faster at every n from {} to {}", out.faster,
                             size_text(pair.n().front()), size_text(pair.n().back()));
  } else {
    out.reason = fmt::format(
        "none in the range: {} is faster at n = {}; at n = {} no order can be told: the intervals "
        "overlap",
        out.faster, sizes_text(pair, *decided), undecided);
  }
  if (!pair.has_intervals()) out.reason += "; from medians alone: too few samples for intervals";
  return out;
}

}  // namespace

std::vector<TimedCrossover> find_crossovers(std::span<const TimedCurve> curves,
                                            std::uint64_t seed) {
  std::vector<FittedCurve> fitted;
  for (std::size_t i = 0; i < curves.size(); ++i) fitted.push_back(prepare(curves[i], seed, i));
  std::vector<TimedCrossover> out;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    for (std::size_t j = i + 1; j < fitted.size(); ++j) {
      out.push_back(crossover_of(fitted[i], fitted[j]));
    }
  }
  return out;
}

}  // namespace attnlab
