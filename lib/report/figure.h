// A figure as a description, apart from how it is drawn: panels with two axes, series of points,
// curves and marks. figure_gnuplot.h turns it into a script, figure_text.h into text; what an
// experiment shows is in experiments/figures.h.
#ifndef ATTNLAB_REPORT_FIGURE_H_
#define ATTNLAB_REPORT_FIGURE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attnlab {

struct FigureAxis {
  std::string label;            // "time (median)", without the unit: the ticks carry it
  std::string unit{};           // "s", "B"; "" for a plain number
  bool is_logarithmic = true;   // only values above 0 are shown then
  bool counts_in_twos = false;  // ticks at powers of two: bytes, and sizes that double
};

struct FigurePoint {
  double x, y;
  std::optional<double> low{}, high{};  // the interval of y
};

// The area between two curves: every point has low and high, y is not looked at.
using FigureBand = std::vector<FigurePoint>;

// One thing that was measured, and the curve that describes it.
struct FigureSeries {
  std::string name;       // in the legend
  std::size_t style = 0;  // its colour, marker, dash and letter: the same in every panel
  std::vector<FigurePoint> points{};
  std::vector<FigurePoint>
      curve{};                      // in ascending x, drawn as a line; empty: the points are joined
  std::string curve_name{};         // what the curve is: "a n^2 + b"
  bool names_curve_apart = false;   // the curve is an entry of its own in the legend
  std::vector<FigureBand> bands{};  // in ascending x, pale areas behind; not drawn as text
};

// A place worth a look, such as where two series cross.
struct FigureMark {
  double x, y;
  std::string label;
};

// A matrix, shown as a heat map.
struct FigureGrid {
  std::vector<std::string> rows, columns;                  // labels; the first row is on top
  std::vector<std::vector<std::optional<double>>> values;  // [row][column], 0 or more
  std::string value_label;                                 // "weight"
  double top = 0;  // where the ramp ends; 0: at the largest value
};

struct FigurePanel {
  std::string name;  // by which --panel chooses it
  FigureAxis x, y;
  std::vector<FigureSeries> series{};
  std::vector<FigureMark> marks{};
  std::string mark_name{};           // what a mark is, in the legend
  bool labels_at_marks = false;      // else at the foot of a line from the mark to the axis
  std::optional<FigureGrid> grid{};  // instead of series and marks
  std::string heading{};             // above a grid
};

struct Figure {
  std::string title;
  std::vector<FigurePanel> panels;

  // Whether any panel has a point, or a grid a cell.
  bool has_points() const;
};

// What a series is called in a legend: "flash: a n^2 + b".
std::string legend_of(const FigureSeries& series);

// What an axis can show of a value: finite, and above 0 where it is logarithmic.
bool is_shown(const FigureAxis& axis, double value);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_H_
