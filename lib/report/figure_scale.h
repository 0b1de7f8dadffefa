// The range of an axis and its ticks: round values, few enough to be read, labelled with units.
#ifndef ATTNLAB_REPORT_FIGURE_SCALE_H_
#define ATTNLAB_REPORT_FIGURE_SCALE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "report/figure.h"

namespace attnlab {

struct FigureTick {
  double value;
  std::string label;
};

struct FigureScale {
  bool is_logarithmic = true;
  double low = 1, high = 10;  // low < high
  std::vector<FigureTick> ticks{};

  // Where a value lies: 0 at low, 1 at high.
  double place(double value) const;
};

// The scales that hold all points, intervals and marks of a panel (and the curves as far as x
// reaches), with a margin and at most `most_ticks` ticks.
FigureScale scale_of_x(const FigurePanel& panel, std::size_t most_ticks);
FigureScale scale_of_y(const FigurePanel& panel, std::size_t most_ticks);

// "250 µs", "1.5 MiB", "1024": a value as a tick shows it.
std::string tick_label(double value, const std::string& unit);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_SCALE_H_
