#include "app/time_left.h"

#include <algorithm>
#include <cmath>

namespace attnlab {
namespace {

constexpr double kOverhead = 20e-6;  // of any point, in seconds: an estimate may be 0

// Points are forgotten over a fifth of the run so far, but not within the first second.
double weight_after(double seconds, double total) {
  return std::exp(-seconds / std::max(1.0, 0.2 * total));
}

}  // namespace

TimeLeft::TimeLeft(const std::vector<std::vector<double>>& estimates)
    : experiments_(estimates.size()) {
  for (std::size_t e = 0; e < estimates.size(); ++e) {
    for (const double estimate : estimates[e]) experiments_[e].left += estimate + kOverhead;
  }
}

void TimeLeft::finished(std::size_t experiment, double estimate, double seconds) {
  total_ += seconds;
  const double weight = weight_after(seconds, total_);
  for (Sums* sums : {&experiments_[experiment], &all_}) {
    sums->measured = sums->measured * weight + seconds;
    sums->estimated = sums->estimated * weight + estimate + kOverhead;
  }
  skipped(experiment, estimate);
}

void TimeLeft::skipped(std::size_t experiment, double estimate) {
  experiments_[experiment].left -= estimate + kOverhead;
}

std::optional<double> TimeLeft::rate_of(std::size_t experiment) const {
  const Sums& own = experiments_[experiment];
  if (own.estimated > 0) return own.measured / own.estimated;
  if (all_.estimated > 0) return all_.measured / all_.estimated;
  return std::nullopt;
}

std::optional<double> TimeLeft::left(std::size_t experiment, double estimate, double share,
                                     double elapsed) const {
  const double size = estimate + kOverhead;
  std::optional<double> rate = rate_of(experiment);
  // The running point is the best witness once it has come far enough.
  const bool says = share > 0.02 && elapsed > 0.05;
  if (says && (experiments_[experiment].estimated <= 0 || share > 0.2)) {
    rate = elapsed / (share * size);
  }
  if (!rate) return std::nullopt;
  const double whole = std::max(size * *rate, elapsed);
  double out = share > 0 ? size * *rate * (1 - share) : whole - elapsed;
  out += std::max(0.0, experiments_[experiment].left - size) * *rate;
  for (std::size_t e = experiment + 1; e < experiments_.size(); ++e) {
    const bool is_known = experiments_[e].estimated > 0 || all_.estimated > 0;
    out += experiments_[e].left * (is_known ? *rate_of(e) : *rate);
  }
  return out;
}

}  // namespace attnlab
