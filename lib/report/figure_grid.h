// A panel that shows a matrix as a heat map: how it is drawn by gnuplot and as text.
#ifndef ATTNLAB_REPORT_FIGURE_GRID_H_
#define ATTNLAB_REPORT_FIGURE_GRID_H_

#include <cstddef>
#include <string>
#include <vector>

#include "report/figure.h"

namespace attnlab {

// Where the ramp of a grid ends; 0 where it has no value above 0.
double top_of(const FigureGrid& grid);

// The places and labels of the ticks of an axis, at most `most` of them, evenly spaced.
struct GridTick {
  std::size_t place;
  std::string label;
};
std::vector<GridTick> grid_ticks(const std::vector<std::string>& labels, std::size_t most);

// Rows "x y value" of the data file, rows of the grid with an empty line between them, two at
// least.
std::string grid_data(const FigureGrid& grid);

// What the panel takes of gnuplot: commands before its plot, what follows `plot`, commands after
// it.
struct GridPlot {
  std::string before, plot, after;
};
// data: the part of a plot command that reads grid_data, without `using`. letters, lines: for how
// many there is room side by side and one below the other; alone: the only panel of its figure;
// as_image: as in GnuplotOptions.
GridPlot grid_plot(const FigurePanel& panel, const std::string& data, std::size_t letters,
                   std::size_t lines, bool alone, bool as_image);

// A sign a cell, from ' ' to '@', no line longer than `width`.
std::string grid_text(const FigurePanel& panel, std::size_t width);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_GRID_H_
