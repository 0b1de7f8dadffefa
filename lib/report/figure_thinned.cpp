#include "report/figure_thinned.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "report/figure_scale.h"

namespace attnlab {
namespace {

constexpr double kStretches = 450;  // of the x axis, four points each at most

// The points of one stretch, as far as they matter: least and largest of the value, least of the
// interval's low end and largest of its high end.
using Extremes = std::array<std::size_t, 4>;

bool thin(const FigurePanel& panel, const FigureScale& x, std::vector<FigurePoint>& points) {
  if (points.size() <= kMostPoints) return false;
  std::map<int, Extremes> stretches;
  const auto low = [&](std::size_t i) { return points[i].low.value_or(points[i].y); };
  const auto high = [&](std::size_t i) { return points[i].high.value_or(points[i].y); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_shown(panel.x, points[i].x)) continue;
    const double place = x.place(points[i].x);
    if (!(place >= 0 && place <= 1)) continue;
    Extremes& found =
        stretches.try_emplace(static_cast<int>(place * kStretches), Extremes{i, i, i, i})
            .first->second;
    if (points[i].y < points[found[0]].y) found[0] = i;
    if (points[i].y > points[found[1]].y) found[1] = i;
    if (low(i) < low(found[2])) found[2] = i;
    if (high(i) > high(found[3])) found[3] = i;
  }
  std::set<std::size_t> kept{0, points.size() - 1};
  for (const auto& [stretch, extremes] : stretches) kept.insert(extremes.begin(), extremes.end());
  std::vector<FigurePoint> out;
  out.reserve(kept.size());
  for (const std::size_t i : kept) out.push_back(points[i]);
  points = std::move(out);
  return true;
}

}  // namespace

bool thin_points(Figure& figure) {
  bool is_thinned = false;
  for (FigurePanel& panel : figure.panels) {
    if (panel.grid) continue;
    const FigureScale x = scale_of_x(panel, 8);
    for (FigureSeries& one : panel.series) {
      is_thinned = thin(panel, x, one.points) || is_thinned;
      is_thinned = thin(panel, x, one.curve) || is_thinned;
      for (FigureBand& band : one.bands) is_thinned = thin(panel, x, band) || is_thinned;
    }
  }
  return is_thinned;
}

}  // namespace attnlab
