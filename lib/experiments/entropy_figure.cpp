// The figure of entropy: row entropy and largest weight against the head size d, a series a scale.
// Many trials: their mean, with bands from 25 % to 75 % and from 5 % to 95 % of them; runs of other
// tables of the result with as many keys at the same temperature are marked. A single run: its
// values, and the mean of the runs it was located among.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/figures.h"

namespace attnlab {
namespace {

bool has_column(const Table& table, const std::string& name) { return table.index_of(name) >= 0; }

FigureBand band_of(const Table& table, const RowSeries& rows, const std::string& quantity,
                   const char* low, const char* high) {
  return points_of(table, rows, "d", quantity, quantity + low, quantity + high);
}

bool has_mark(const std::vector<FigureMark>& marks, const FigureMark& one) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](const FigureMark& other) { return other.x == one.x && other.y == one.y; });
}

// Whether a value of a column occurs in a table.
bool occurs(const Table& table, const char* column, const std::string& text) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return text_in(table, row, column) == text; });
}

// Single runs that are comparable with the rows of `table`.
std::vector<FigureMark> runs_of(const Table& table, std::span<const Table> all,
                                const std::string& quantity) {
  std::vector<FigureMark> out;
  for (const Table& other : all) {
    if (other.experiment != "entropy" || &other == &table) continue;
    for (const Row& row : other.rows) {
      const bool is_like = text_in(other, row, "trials") == "1" &&
                           occurs(table, "keys", text_in(other, row, "keys")) &&
                           occurs(table, "temperature", text_in(other, row, "temperature")) &&
                           occurs(table, "scale", text_in(other, row, "scale"));
      const auto d = number_in(other, row, "d"), value = number_in(other, row, quantity);
      if (!is_like || !d || !value) continue;
      const FigureMark mark{*d, *value,
                            fmt::format("scale {}: {:.4g}", text_in(other, row, "scale"), *value)};
      if (!has_mark(out, mark)) out.push_back(mark);
    }
  }
  return out;
}

FigurePanel entropy_panel(const FigureTables& tables, const std::string& quantity,
                          const std::string& label) {
  const Table& table = tables.own.front();
  const bool has_bands = has_column(table, quantity + "_p05");
  FigurePanel panel{.name = quantity,
                    .x = {.label = "d (size of a head)", .counts_in_twos = true},
                    .y = {.label = has_bands ? label + ": mean, 25-75 %, 5-95 %" : label,
                          .is_logarithmic = false},
                    .mark_name = "one run",
                    .labels_at_marks = true};
  std::size_t style = 0;
  for (const RowSeries& rows : series_of(table, "d", "scale")) {
    FigureSeries one{.name = "scale " + rows.name, .style = style++};
    one.points = points_of(table, rows, "d", quantity, "", "");
    if (has_bands) {
      one.bands = {band_of(table, rows, quantity, "_p05", "_p95"),
                   band_of(table, rows, quantity, "_p25", "_p75")};
    } else if (has_column(table, quantity + "_mean")) {
      one.curve = points_of(table, rows, "d", quantity + "_mean", "", "");
      one.curve_name = "mean of many runs";
    }
    panel.series.push_back(std::move(one));
  }
  if (has_bands) panel.marks = runs_of(table, tables.all, quantity);
  return panel;
}

}  // namespace

Figure entropy_figure(const FigureTables& tables) {
  const Table& table = tables.own.front();
  return {table.title.empty() ? "attnlab entropy: what the scale does to a row of weights"
                              : table.title,
          {entropy_panel(tables, "entropy", "entropy of a row, bits"),
           entropy_panel(tables, "max_weight", "largest weight of a row")}};
}

}  // namespace attnlab
