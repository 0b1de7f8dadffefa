#include "measure/curve_pair.h"

#include <algorithm>
#include <cmath>

#include "measure/resample.h"

namespace attnlab {
namespace {

// Stands for "beyond the sizes" among logarithms of n.
constexpr double kBeyond = 1e9;

int sign_of(double value) { return (value > 0) - (value < 0); }

// The logarithms of n at which log_ratio turns to the sign `slower`, by linear interpolation, with
// the index of the size before each.
struct Turn {
  std::size_t before;
  double log_n;
};
std::vector<Turn> turns_to(int slower, const std::vector<double>& n,
                           const std::vector<double>& log_ratio) {
  std::vector<Turn> out;
  for (std::size_t i = 1; i < n.size(); ++i) {
    const double from = slower * log_ratio[i - 1], to = slower * log_ratio[i];
    if (from > 0 || to <= 0) continue;
    const double share = from / (from - to);
    out.push_back({i - 1, std::log(n[i - 1]) + share * std::log(n[i] / n[i - 1])});
  }
  return out;
}

std::optional<double> size_at(double log_n) {
  if (std::abs(log_n) > kBeyond / 1e6) return std::nullopt;
  return std::exp(log_n);
}

}  // namespace

CurvePair::CurvePair(const PreparedCurve& first, const PreparedCurve& second) {
  std::vector<std::size_t> at_first, at_second;
  for (std::size_t i = 0, j = 0; i < first.sizes.size() && j < second.sizes.size();) {
    if (first.sizes[i].n == second.sizes[j].n) {
      n_.push_back(first.sizes[i].n);
      at_first.push_back(i);
      at_second.push_back(j);
    }
    first.sizes[i].n <= second.sizes[j].n ? ++i : ++j;
  }
  for (std::size_t k = 0; k < n_.size(); ++k) {
    log_ratio_.push_back(std::log(median(pooled(first.sizes[at_first[k]].samples)) /
                                  median(pooled(second.sizes[at_second[k]].samples))));
  }
  processes_ = std::min(first.replicates.processes(), second.replicates.processes());
  const bool has_intervals =
      first.replicates.is_meaningful() && second.replicates.is_meaningful() && !n_.empty();
  for (std::size_t r = 0; has_intervals && r < first.replicates.size(); ++r) {
    std::vector<double>& row = replicates_.emplace_back();
    for (std::size_t k = 0; k < n_.size(); ++k) {
      row.push_back(
          std::log(first.replicates[r][at_first[k]] / second.replicates[r][at_second[k]]));
    }
  }
  for (std::size_t k = 0; k < n_.size(); ++k) {
    if (!has_intervals) {
      order_.push_back(sign_of(log_ratio_[k]));
      continue;
    }
    std::vector<double> column;
    for (const auto& row : replicates_) column.push_back(row[k]);
    const Interval interval = percentile_interval(column, processes_);
    order_.push_back(interval.low > 0 ? 1 : interval.high < 0 ? -1 : 0);
  }
}

std::vector<CurvePair::Crossing> CurvePair::crossings() const {
  std::vector<Crossing> out;
  std::optional<std::size_t> before;
  for (std::size_t after = 0; after < n_.size(); ++after) {
    if (order_[after] == 0) continue;
    if (before && order_[*before] != order_[after]) {
      // Between them lies at least one turn; among sizes of no order there may be more.
      double log_n = 0;
      for (const Turn& turn : turns_to(order_[after], n_, log_ratio_)) {
        if (turn.before >= *before && turn.before < after) log_n = turn.log_n;
      }
      out.push_back({*before, after, std::exp(log_n), order_[after]});
    }
    before = after;
  }
  return out;
}

CurvePair::OpenInterval CurvePair::interval_of(const Crossing& crossing) const {
  if (!has_intervals()) return {};
  std::vector<double> values;
  const double centre = std::log(crossing.n);
  for (const auto& row : replicates_) {
    // Without a turn the order is the same throughout: that before the crossing, or that after it.
    double nearest = crossing.slower * row.back() > 0 ? -kBeyond : kBeyond;
    for (const Turn& turn : turns_to(crossing.slower, n_, row)) {
      if (std::abs(turn.log_n - centre) < std::abs(nearest - centre)) nearest = turn.log_n;
    }
    values.push_back(nearest);
  }
  const Interval interval = percentile_interval(values, processes_);
  return {size_at(interval.low), size_at(interval.high)};
}

}  // namespace attnlab
