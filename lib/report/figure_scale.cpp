#include "report/figure_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(const FigureAxis& axis, double value) {
    if (!is_shown(axis, value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// With a margin on both sides, so that no marker stands on the frame; a range of one value is
// widened.
Range widened(Range range, bool is_logarithmic) {
  constexpr double kMargin = 0.05;
  if (range.low > range.high) return {is_logarithmic ? 1.0 : 0.0, is_logarithmic ? 10.0 : 1.0};
  // The ends stay finite, and so does the distance between them: the halves' difference, doubled.
  constexpr double kMost = std::numeric_limits<double>::max();
  if (is_logarithmic) {
    const double decades = std::log(range.high) - std::log(range.low);
    const double margin = decades < 0.01 ? 2 : std::exp(kMargin * decades);
    const double low = std::max(range.low / margin, std::numeric_limits<double>::min());
    return {low, std::clamp(range.high * margin, 10 * low, kMost / 2)};
  }
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double width = 2 * std::min(range.high / 2 - range.low / 2, kMost / 2);
  // What differs in its last digits only leaves no room for ticks in between.
  constexpr double kLeastWidth = 1e-12;
  const double margin =
      width > kLeastWidth * size ? kMargin * width : std::max(1.0, std::abs(range.high) / 2);
  return {std::max(range.low - margin, -kMost / 2), std::min(range.high + margin, kMost / 2)};
}

// The least of 1, 2, 5 x 10^k that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= step * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(const FigureScale& scale, std::size_t most) {
  const double step = round_step((scale.high - scale.low) / static_cast<double>(most));
  std::vector<double> out;
  for (double i = std::ceil(scale.low / step); i * step <= scale.high; ++i) {
    out.push_back(i == 0 ? 0 : i * step);  // never -0
  }
  return out;
}

// base^(k stride) within the range.
std::vector<double> powers(const FigureScale& scale, double base, int stride) {
  std::vector<double> out;
  const int first = static_cast<int>(std::ceil(std::log(scale.low) / std::log(base) - 1e-9));
  for (int k = first; std::pow(base, k) <= scale.high * (1 + 1e-9); ++k) {
    if (k % stride == 0) out.push_back(std::pow(base, k));
  }
  return out;
}

std::vector<double> with_digits(const FigureScale& scale, std::initializer_list<double> digits) {
  std::vector<double> out;
  for (int k = static_cast<int>(std::floor(std::log10(scale.low))); std::pow(10, k) <= scale.high;
       ++k) {
    for (const double digit : digits) {
      // 2e-6 as a reader writes it: 10^k is not exact for a negative k, its quotient is.
      const double value = k < 0 ? digit / std::pow(10, -k) : digit * std::pow(10, k);
      if (value >= scale.low && value <= scale.high) out.push_back(value);
    }
  }
  return out;
}

std::vector<double> logarithmic_ticks(const FigureScale& scale, bool counts_in_twos,
                                      std::size_t most) {
  if (counts_in_twos) {
    for (const int stride : {1, 2, 4, 5, 10, 20}) {
      std::vector<double> ticks = powers(scale, 2, stride);
      if (ticks.size() <= most && ticks.size() >= 2) return ticks;
    }
  }
  for (const auto& digits : {std::initializer_list<double>{1, 2, 5}, {1, 3}, {1}}) {
    std::vector<double> ticks = with_digits(scale, digits);
    if (ticks.size() <= most && ticks.size() >= 2) return ticks;
  }
  for (const int stride : {2, 3, 6, 12, 30, 60, 120}) {
    std::vector<double> ticks = powers(scale, 10, stride);
    if (ticks.size() <= most && ticks.size() >= 2) return ticks;
  }
  return linear_ticks(scale, most);
}

FigureScale scale_of(Range range, const FigureAxis& axis, std::size_t most_ticks) {
  range = widened(range, axis.is_logarithmic);
  FigureScale out{.is_logarithmic = axis.is_logarithmic, .low = range.low, .high = range.high};
  const std::vector<double> ticks = axis.is_logarithmic
                                        ? logarithmic_ticks(out, axis.counts_in_twos, most_ticks)
                                        : linear_ticks(out, most_ticks);
  for (const double value : ticks) out.ticks.push_back({value, tick_label(value, axis.unit)});
  return out;
}

}  // namespace

double FigureScale::place(double value) const {
  return is_logarithmic ? std::log(value / low) / std::log(high / low)
                        : (value - low) / (high - low);
}

FigureScale scale_of_x(const FigurePanel& panel, std::size_t most_ticks) {
  Range range;
  for (const FigureSeries& series : panel.series) {
    for (const FigurePoint& point : series.points) range.take(panel.x, point.x);
  }
  for (const FigureMark& mark : panel.marks) range.take(panel.x, mark.x);
  return scale_of(range, panel.x, most_ticks);
}

FigureScale scale_of_y(const FigurePanel& panel, std::size_t most_ticks) {
  Range range;
  for (const FigureSeries& series : panel.series) {
    for (const FigurePoint& point : series.points) {
      range.take(panel.y, point.y);
      range.take(panel.y, point.low.value_or(point.y));
      range.take(panel.y, point.high.value_or(point.y));
    }
    for (const FigureBand& band : series.bands) {
      for (const FigurePoint& point : band) {
        if (point.low) range.take(panel.y, *point.low);
        if (point.high) range.take(panel.y, *point.high);
      }
    }
  }
  for (const FigureMark& mark : panel.marks) range.take(panel.y, mark.y);
  return scale_of(range, panel.y, most_ticks);
}

std::string tick_label(double value, const std::string& unit) {
  if (unit == "B") {
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t scale = 0;
    while (std::abs(value) >= 1024 && scale + 1 < std::size(kUnits)) {
      value /= 1024;
      ++scale;
    }
    return fmt::format("{:.4g} {}", value, kUnits[scale]);
  }
  if (unit.empty()) {
    return std::abs(value) >= 1e7 ? fmt::format("{:.3g}", value) : fmt::format("{:.7g}", value);
  }
  constexpr const char* kPrefixes[] = {"n", "µ", "m", "", "k", "M", "G", "T"};
  const double size = std::abs(value);
  int prefix = 3;
  if (size > 0) prefix += static_cast<int>(std::floor(std::log10(size) / 3 + 1e-9));
  const int highest = unit == "s" ? 3 : 7;  // nobody reads kiloseconds
  prefix = std::clamp(prefix, 0, highest);
  return fmt::format("{:.4g} {}{}", value / std::pow(1000, prefix - 3), kPrefixes[prefix], unit);
}

}  // namespace attnlab
