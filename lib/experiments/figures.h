// What the figure of an experiment shows. A new one is a function from tables to a Figure and a
// line in figures.cpp; `attnlab plot`, --plot and their help then know it.
#ifndef ATTNLAB_EXPERIMENTS_FIGURES_H_
#define ATTNLAB_EXPERIMENTS_FIGURES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/figure.h"
#include "report/table.h"

namespace attnlab {

// What a figure is made of.
struct FigureTables {
  // The table and those of the same experiment that follow it, up to the next that has a figure.
  std::span<const Table> own;
  std::span<const Table> all;  // of the result
};

struct FigureSource {
  std::string_view experiment;
  std::vector<std::string_view> columns;  // that its table must have
  Figure (*make)(const FigureTables& tables);
  bool is_counted = false;  // shows nothing that was measured: chosen only where no other is there
};

bool has_figure(std::string_view experiment);

// The tables of a result that have a figure, as indices.
std::vector<std::size_t> tables_with_figures(std::span<const Table> tables);

// The same in the order in which one is chosen where none is named.
std::vector<std::size_t> tables_to_choose_from(std::span<const Table> tables);

// The figure of one of these tables.
Figure figure_of(std::span<const Table> tables, std::size_t index);

// ---- for those who make figures ----
// A cell as a number, where it is one.
std::optional<double> number_in(const Table& table, const Row& row, std::string_view column);
// A cell as text; "" where there is no such column or value.
std::string text_in(const Table& table, const Row& row, std::string_view column);
// The rows as series by all their parameters but `x`, in the order of their first row. A series is
// called by the parameters that differ among them, joined by '/'; `always`, where it is not "", is
// one that the name has in any case.
struct RowSeries {
  std::string name;
  std::vector<const Row*> rows;
};
std::vector<RowSeries> series_of(const Table& table, std::string_view x, std::string_view always);
// The points of a series; a row without a number in x or y is left out. `low`, `high`: the columns
// of the interval, or "".
std::vector<FigurePoint> points_of(const Table& table, const RowSeries& series, std::string_view x,
                                   std::string_view y, std::string_view low, std::string_view high);

Figure cost_share_figure(const FigureTables& tables);
Figure entropy_figure(const FigureTables& tables);
Figure inspect_figure(const FigureTables& tables);
Figure roofline_figure(const FigureTables& tables);
Figure sweep_figure(const FigureTables& tables);
Figure variance_figure(const FigureTables& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_FIGURES_H_
