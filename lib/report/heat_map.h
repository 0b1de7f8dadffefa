// A table that has a matrix (table.h), as heat maps in the terminal: digits in every cell, a ramp
// of background colours behind them where there is colour; one map for each value of its other
// parameters, side by side where there is room.
#ifndef ATTNLAB_REPORT_HEAT_MAP_H_
#define ATTNLAB_REPORT_HEAT_MAP_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace attnlab {

// One matrix of a table.
struct HeatMap {
  std::string title;  // the parameters that tell it from the others: "scale=none"; or ""
  std::vector<std::string> rows, columns;                  // labels
  std::vector<std::vector<std::optional<double>>> values;  // [row][column]; none: not there
};

std::vector<HeatMap> heat_maps_of(const Table& table, const TableMatrix& matrix);

// The lines, each with a newline. Nothing is told by colour alone.
std::string heat_maps_text(const std::vector<HeatMap>& maps, std::size_t width, bool color);

// The text cut to so many columns of the terminal, with "…" at its end where something is left out.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_HEAT_MAP_H_
