// The figure of variance: the variance of q.k against the head size d as measured, with its 95 %
// interval as a band, and by theory (y = d for independent, centred components); below it the same
// after the scale 1/sqrt(d), where theory says 1.
#include <algorithm>

#include "experiments/figures.h"

namespace attnlab {
namespace {

// Whether theory says d for every row, as it does for independent, centred components.
bool is_d(const std::vector<FigurePoint>& theory) {
  return std::all_of(theory.begin(), theory.end(),
                     [](const FigurePoint& point) { return point.x == point.y; });
}

FigurePanel variance_panel(const Table& table, std::string name, FigureAxis y) {
  FigurePanel panel{.name = std::move(name),
                    .x = {.label = "d (size of a head)", .counts_in_twos = true},
                    .y = std::move(y)};
  std::size_t style = 0;
  for (const RowSeries& rows : series_of(table, "d", "")) {
    FigureSeries one{.name = rows.name.empty() ? "measured" : rows.name, .style = style++};
    one.points = points_of(table, rows, "d", "variance", "variance_low", "variance_high");
    one.curve = points_of(table, rows, "d", "predicted", "", "");
    one.curve_name = is_d(one.curve) ? "theory, y = d" : "theory";
    one.names_curve_apart = true;
    one.bands = {one.points};
    panel.series.push_back(std::move(one));
  }
  return panel;
}

}  // namespace

Figure variance_figure(const FigureTables& tables) {
  const Table& table = tables.own.front();
  Figure out{
      table.title.empty() ? "attnlab variance: the variance of q.k grows with d" : table.title,
      {variance_panel(table, "variance",
                      {.label = "variance of q.k (95 % interval)", .counts_in_twos = true})}};
  for (const Table& scaled : tables.own.subspan(1)) {
    if (scaled.base_name != "scaled") continue;
    out.panels.push_back(variance_panel(
        scaled, "scaled",
        {.label = "variance of q.k / sqrt(d) (95 % interval)", .is_logarithmic = false}));
  }
  return out;
}

}  // namespace attnlab
