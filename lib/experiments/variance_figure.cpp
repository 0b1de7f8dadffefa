// The figure of variance: the variance of q.k as measured, and by theory, against the head size d.
#include "experiments/figures.h"

namespace attnlab {

Figure variance_figure(std::span<const Table> tables) {
  const Table& table = tables.front();
  FigurePanel panel{.name = "variance",
                    .x = {.label = "d (size of a head)", .counts_in_twos = true},
                    .y = {.label = "variance of q.k (95 % interval)", .counts_in_twos = true}};
  std::size_t style = 0;
  for (const RowSeries& rows : series_of(table, "d", "")) {
    FigureSeries one{.name = rows.name.empty() ? "measured" : rows.name, .style = style++};
    one.points = points_of(table, rows, "d", "variance", "variance_low", "variance_high");
    one.curve = points_of(table, rows, "d", "predicted", "", "");
    one.curve_name = "by theory";
    panel.series.push_back(std::move(one));
  }
  return {table.title.empty() ? "attnlab variance: the variance of q.k grows with d" : table.title,
          {std::move(panel)}};
}

}  // namespace attnlab
