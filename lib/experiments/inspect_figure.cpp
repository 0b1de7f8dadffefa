// The figure of inspect: weights as a heat map for each head, whole or pooled.
#include <algorithm>

#include "experiments/figures.h"
#include "report/heat_map.h"

namespace attnlab {

Figure inspect_figure(const FigureTables& tables) {
  const Table& table = tables.own.front();
  const bool is_pooled = table.index_of("query") < 0;
  const bool is_words = table.index_of("query_token") >= 0;
  const TableMatrix matrix =
      is_pooled ? TableMatrix{"query_first", "key_first", "weight", "query_first", "key_first"}
                : TableMatrix{"query", "key", "weight", is_words ? "query_token" : "query",
                              is_words ? "key_token" : "key"};
  Figure out;
  out.title = table.title.empty() ? "attnlab inspect: attention weights" : table.title;
  if (is_pooled && !table.notes.empty()) out.title += ". " + table.notes.front();
  std::vector<HeatMap> maps = heat_maps_of(table, matrix);
  double top = 0;  // one ramp for all, so that they can be compared
  for (const HeatMap& map : maps) {
    for (const auto& row : map.values) {
      for (const auto& value : row) top = std::max(top, value.value_or(0));
    }
  }
  for (HeatMap& map : maps) {
    FigurePanel panel{.name = map.title.empty() ? "weights" : map.title,
                      .x = {.label = "key", .is_logarithmic = false},
                      .y = {.label = "query", .is_logarithmic = false}};
    panel.grid = FigureGrid{std::move(map.rows), std::move(map.columns), std::move(map.values),
                            is_pooled ? "weight of the cell's keys" : "weight", top};
    panel.heading = map.title;
    out.panels.push_back(std::move(panel));
  }
  return out;
}

}  // namespace attnlab
