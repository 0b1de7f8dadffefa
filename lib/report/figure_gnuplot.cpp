#include "report/figure_gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "report/figure_grid.h"
#include "report/figure_scale.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

// Okabe-Ito without yellow, which is too pale for a line on white; the darkest first.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#000000",
                                   "#cc79a7", "#e69f00", "#56b4e9"};
// Filled circle, square, triangle, diamond, triangle down; then the same open.
constexpr int kMarkers[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
constexpr const char* kDashes[] = {"1", "(12,5)", "(3,4)", "(12,4,3,4)"};
constexpr std::size_t kMostTitleLines = 3, kMostTicksOfY = 8;

template <class T, std::size_t count>
T of_style(const T (&list)[count], std::size_t style) {
  return list[style % count];
}

// Lines of a text as one gnuplot expression.
std::string gnuplot_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines =
      wrapped_lines(printable(text, 1000), std::max<std::size_t>(width, 10));
  if (lines.size() > kMostTitleLines) {
    lines.resize(kMostTitleLines);
    lines.back() += " ...";
  }
  for (std::string& line : lines) line = gnuplot_string(line);
  return join(lines, ".\"\\n\".");
}

// A file of the folder: a name that begins with '|' or '<' would else be a command.
std::string gnuplot_file(const std::string& name) { return gnuplot_string("./" + name); }

class ScriptWriter {
 public:
  ScriptWriter(const Figure& figure, const GnuplotOptions& options)
      : figure_(figure), options_(options) {}

  GnuplotFiles write() {
    head();
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) panel(figure_.panels[i], i == 0);
    line("unset multiplot");
    line("unset output");
    return {std::move(script_), std::move(data_)};
  }

 private:
  // A fiftieth of the width: about a hundred letters side by side, whatever the size. Of several
  // panels side by side each has about as many.
  int font_size() const {
    return std::clamp(options_.width / (10 + 40 * static_cast<int>(panel_columns())), 8, 40);
  }
  std::size_t letters(double share) const {
    return static_cast<std::size_t>(share * options_.width / (0.55 * font_size()));
  }
  double letters_in_field() const { return static_cast<double>(letters(0.8)); }
  // Several grids stand side by side, as many as there are one below the other.
  std::size_t panel_columns() const {
    const std::size_t count = figure_.panels.size();
    const bool all_grids = std::all_of(figure_.panels.begin(), figure_.panels.end(),
                                       [](const FigurePanel& one) { return one.grid.has_value(); });
    std::size_t columns = 1;
    while (all_grids && columns * columns < count) ++columns;
    return columns;
  }
  std::size_t panel_rows() const {
    return (figure_.panels.size() + panel_columns() - 1) / panel_columns();
  }
  void line(const std::string& text) { script_ += text + '\n'; }

  void head() {
    const bool is_svg = options_.format == FigureFormat::kSvg;
    // Comments hold no file names: a name may hold anything.
    line(std::string(kGnuplotFileStart) +
         ": run it with gnuplot in the folder of its data; it writes the figure there.");
    data_ = std::string(kGnuplotFileStart) + ": x y low high, a block a series\n";
    line("set encoding utf8");
    line(fmt::format("set terminal {} noenhanced size {},{} font '{},{}' background '#ffffff'",
                     is_svg ? "svg" : "pngcairo", options_.width, options_.height,
                     is_svg ? "Helvetica,Arial,sans-serif" : "Sans",
                     // cairo counts points of 1/72 inch at 96 pixels an inch
                     is_svg ? font_size() : std::max(6, font_size() * 3 / 4)));
    line("set output " + gnuplot_file(options_.output_file));
    // Of a multiplot, even of one panel: so the title stands above the legend, a line apart.
    line(fmt::format("set multiplot layout {},{} title {}", panel_rows(), panel_columns(),
                     gnuplot_lines(figure_.title, letters(0.98)) + ".\"\\n\""));
    line("set style line 100 lc rgb '#d8d8d8' lw 0.7 dt 1");
    line("set grid xtics ytics ls 100");
    line("set border 3 lc rgb '#404040'");
    line("set tics nomirror out");
    line(fmt::format("set lmargin {}", left_margin()));
    line("set rmargin 4");
    line("set errorbars small");
    line("set style textbox opaque noborder margins 0.3,0.2");  // of labels across curves
  }

  // In letters: room for the widest label of a tick and, left of it, that of the axis.
  std::size_t left_margin() const {
    std::size_t widest = 0;
    for (const FigurePanel& panel : figure_.panels) {
      if (panel.grid) continue;
      for (const FigureTick& tick : scale_of_y(panel, kMostTicksOfY).ticks) {
        widest = std::max(widest, display_width(tick.label));
      }
    }
    return std::max<std::size_t>(12, widest + 5);
  }

  void axis(const char* name, const FigureAxis& axis, const FigureScale& scale) {
    line(fmt::format("set {}label {}", name, gnuplot_string(axis.label)));
    line(fmt::format("{} logscale {}", scale.is_logarithmic ? "set" : "unset", name));
    line(fmt::format("set {}range [{}:{}]", name, number_text(scale.low), number_text(scale.high)));
    std::vector<std::string> ticks;
    for (const FigureTick& tick : scale.ticks) {
      ticks.push_back(gnuplot_tick(tick.label) + " " + number_text(tick.value));
    }
    line(fmt::format("set {}tics ({})", name, join(ticks, ", ")));
  }

  // Adds rows "x y low high" to the data file; returns the part of the plot command that reads
  // them, without `using`.
  std::string add_block(const std::string& rows) {
    data_ += (blocks_ == 0 ? "" : "\n\n") + rows;
    return fmt::format("{} index {}", gnuplot_file(options_.data_file), blocks_++);
  }

  // Adds points to the data file; returns the part of the plot command that reads them, or "" where
  // there is nothing to show.
  std::string block(const FigurePanel& panel, const std::vector<FigurePoint>& points) {
    std::string rows;
    for (const FigurePoint& point : points) {
      if (!is_shown(panel.x, point.x) || !is_shown(panel.y, point.y)) continue;
      const auto end = [&](const std::optional<double>& value) {
        return number_text(value && is_shown(panel.y, *value) ? *value : point.y);
      };
      rows += fmt::format("{} {} {} {}\n", number_text(point.x), number_text(point.y),
                          end(point.low), end(point.high));
    }
    return rows.empty() ? "" : add_block(rows) + " using 1:2";
  }

  void bands(const FigurePanel& panel, const FigureSeries& one, std::vector<std::string>& parts) {
    for (const FigureBand& band : one.bands) {
      std::string rows;
      for (const FigurePoint& point : band) {
        if (!is_shown(panel.x, point.x) || !point.low || !point.high) continue;
        if (!is_shown(panel.y, *point.low) || !is_shown(panel.y, *point.high)) continue;
        rows += fmt::format("{} {} {} {}\n", number_text(point.x), number_text(point.y),
                            number_text(*point.low), number_text(*point.high));
      }
      if (rows.empty()) continue;
      parts.push_back(fmt::format(
          "{} using 1:3:4 with filledcurves lc rgb '{}' fs transparent solid 0.18 noborder notitle",
          add_block(rows), of_style(kColors, one.style)));
    }
  }

  void series(const FigurePanel& panel, const FigureSeries& one, bool in_legend,
              std::vector<std::string>& parts) {
    const std::string points = block(panel, one.points);
    if (points.empty()) return;
    const std::string color = fmt::format("lc rgb '{}'", of_style(kColors, one.style));
    const std::string dash = fmt::format("dt {} lw 2", of_style(kDashes, one.style));
    const std::string marker = fmt::format("pt {} ps 1.1", of_style(kMarkers, one.style));
    const std::string curve = block(panel, one.curve);
    parts.push_back(
        fmt::format("{} with lines {} {} notitle", curve.empty() ? points : curve, color, dash));
    parts.push_back(
        fmt::format("{}:3:4 with yerrorbars {} {} dt 1 lw 1.2 notitle", points, color, marker));
    if (!in_legend) return;
    if (one.names_curve_apart && !curve.empty()) {
      parts.push_back(fmt::format("keyentry with points {} {} title {}", color, marker,
                                  gnuplot_string(one.name)));
      const bool is_alone = panel.series.size() == 1;
      parts.push_back(fmt::format("keyentry with lines {} {} title {}", color, dash,
                                  gnuplot_string(is_alone ? one.curve_name : legend_of(one))));
      return;
    }
    parts.push_back(fmt::format("keyentry with linespoints {} {} {} title {}", color, dash, marker,
                                gnuplot_string(legend_of(one))));
  }

  void marks(const FigurePanel& panel, const FigureScale& x, bool in_legend,
             std::vector<std::string>& parts) {
    std::vector<FigurePoint> places;
    for (std::size_t i = 0; i < panel.marks.size(); ++i) {
      const FigureMark& mark = panel.marks[i];
      places.push_back({mark.x, mark.y});
      const std::string at = number_text(mark.x), height = number_text(mark.y);
      if (!panel.labels_at_marks) {
        line(fmt::format(
            "set arrow {} from first {}, graph 0 to first {}, first {} nohead back lc rgb "
            "'#606060' dt (2,4) lw 1.2",
            i + 1, at, at, height));
      }
      if (mark.label.empty()) continue;
      // Beside the mark, or the line's foot (there one above the other), where there is room.
      const double place = x.place(mark.x);
      const double length = static_cast<double>(display_width(mark.label)) / letters_in_field();
      const double away = panel.labels_at_marks ? 1.5 : 0.6;
      const bool to_left = place + length > 1 && place > 0.5;
      const double rise = panel.labels_at_marks ? 0 : 0.8 + 1.2 * static_cast<double>(i);
      line(fmt::format("set label {} {} at first {}, {} {} offset char {},{} front{}", i + 1,
                       gnuplot_string(mark.label), at,
                       panel.labels_at_marks ? "first " + height : "graph 0",
                       to_left ? "right" : "left", to_left ? -away : away, rise,
                       panel.labels_at_marks ? " boxed" : ""));
    }
    const std::string points = block(panel, places);
    if (points.empty()) return;
    parts.push_back(fmt::format("{} with points pt 2 ps 1.6 lw 2.5 lc rgb '#000000' {}", points,
                                in_legend && !panel.mark_name.empty()
                                    ? "title " + gnuplot_string(panel.mark_name)
                                    : "notitle"));
  }

  void grid_panel(const FigurePanel& panel) {
    const std::string data = add_block(grid_data(*panel.grid));
    const double height = 0.7 * options_.height / static_cast<double>(panel_rows());
    const GridPlot plot =
        grid_plot(panel, data, letters(0.7 / static_cast<double>(panel_columns())),
                  static_cast<std::size_t>(height / (1.3 * font_size())),
                  figure_.panels.size() == 1, options_.grids_as_images);
    script_ += plot.before;
    line("plot " + plot.plot);
    script_ += plot.after;
  }

  void panel(const FigurePanel& panel, bool is_first) {
    if (panel.grid) return grid_panel(panel);
    const std::size_t most_x = std::min<std::size_t>(10, letters(0.85) / 8);
    const FigureScale x = scale_of_x(panel, std::max<std::size_t>(most_x, 3));
    const FigureScale y = scale_of_y(panel, kMostTicksOfY);
    axis("x", panel.x, x);
    axis("y", panel.y, y);
    line("unset arrow");
    line("unset label");
    const bool in_legend = is_first || !has_same_series(panel, figure_.panels.front());
    line(in_legend ? "set key outside top center horizontal Left reverse samplen 3" : "unset key");
    std::vector<std::string> parts;
    for (const FigureSeries& one : panel.series) bands(panel, one, parts);
    for (const FigureSeries& one : panel.series) series(panel, one, in_legend, parts);
    marks(panel, x, in_legend, parts);
    // An empty panel keeps its place.
    if (parts.empty()) parts.push_back("NaN notitle");
    line("plot " + join(parts, ", \\\n  "));
  }

  // Whether every series of a panel stands in the legend of another.
  static bool has_same_series(const FigurePanel& panel, const FigurePanel& other) {
    return std::all_of(panel.series.begin(), panel.series.end(), [&](const FigureSeries& one) {
      return std::any_of(other.series.begin(), other.series.end(), [&](const FigureSeries& shown) {
        return shown.name == one.name && shown.style == one.style;
      });
    });
  }

  const Figure& figure_;
  const GnuplotOptions& options_;
  std::string script_, data_;
  int blocks_ = 0;
};

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string out = "\"";
  for (const char letter : printable(text, 4000)) {
    const bool is_special = std::string_view("\"\\`@'").find(letter) != std::string_view::npos;
    out += is_special ? fmt::format("\\{:03o}", static_cast<unsigned char>(letter))
                      : std::string(1, letter);
  }
  return out + "\"";
}

std::string gnuplot_tick(std::string_view text) {
  std::string out;
  for (const char letter : text) out.append(letter == '%' ? 2 : 1, letter);
  return gnuplot_string(out);
}

GnuplotFiles gnuplot_files(const Figure& figure, const GnuplotOptions& options) {
  return ScriptWriter(figure, options).write();
}

}  // namespace attnlab
