#include "report/figure.h"

#include <algorithm>
#include <cmath>

namespace attnlab {

bool Figure::has_points() const {
  return std::any_of(panels.begin(), panels.end(), [](const FigurePanel& panel) {
    if (panel.grid) return !panel.grid->rows.empty() && !panel.grid->columns.empty();
    return std::any_of(panel.series.begin(), panel.series.end(), [&](const FigureSeries& series) {
      return std::any_of(series.points.begin(), series.points.end(), [&](const FigurePoint& point) {
        return is_shown(panel.x, point.x) && is_shown(panel.y, point.y);
      });
    });
  });
}

std::string legend_of(const FigureSeries& series) {
  return series.curve_name.empty() ? series.name : series.name + ": " + series.curve_name;
}

bool is_shown(const FigureAxis& axis, double value) {
  return std::isfinite(value) && (!axis.is_logarithmic || value > 0);
}

}  // namespace attnlab
