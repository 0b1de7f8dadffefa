#include "report/figure_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "report/figure_gnuplot.h"
#include "report/heat_map.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostDigits = 16;  // cells a side in which there is room for a number
constexpr std::string_view kSigns = " .:-=+*#%@";

std::string tics(const char* axis, const std::vector<GridTick>& ticks) {
  std::vector<std::string> out;
  for (const GridTick& tick : ticks) {
    out.push_back(fmt::format("{} {}", gnuplot_tick(tick.label), tick.place));
  }
  return fmt::format("set {}tics ({})\n", axis, join(out, ", "));
}

std::size_t longest_label(const std::vector<std::string>& labels) {
  std::size_t out = 0;
  for (const std::string& label : labels) out = std::max(out, display_width(label));
  return out;
}

}  // namespace

double top_of(const FigureGrid& grid) {
  double out = grid.top;
  if (out > 0) return out;
  for (const auto& row : grid.values) {
    for (const auto& value : row) out = std::max(out, value.value_or(0));
  }
  return out;
}

std::vector<GridTick> grid_ticks(const std::vector<std::string>& labels, std::size_t most) {
  const std::size_t step = (labels.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<GridTick> out;
  for (std::size_t i = 0; i < labels.size(); i += std::max<std::size_t>(step, 1)) {
    out.push_back({i, shortened(labels[i], 14)});
  }
  return out;
}

std::string grid_data(const FigureGrid& grid) {
  // gnuplot draws no image of a single row or column: one without values is put beside it, out of
  // the range that is shown.
  constexpr std::size_t kLeast = 2;
  const std::size_t rows = std::max(grid.rows.size(), kLeast);
  const std::size_t columns = std::max(grid.columns.size(), kLeast);
  std::string out;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const bool is_there = r < grid.rows.size() && c < grid.columns.size();
      const std::optional<double> value = is_there ? grid.values[r][c] : std::nullopt;
      out += fmt::format("{} {} {}\n", c, r, value ? number_text(*value) : "NaN");
    }
    if (r + 1 < rows) out += '\n';
  }
  return out;
}

GridPlot grid_plot(const FigurePanel& panel, const std::string& data, std::size_t letters,
                   std::size_t lines, bool alone, bool as_image) {
  const FigureGrid& grid = *panel.grid;
  const std::size_t rows = grid.rows.size(), columns = grid.columns.size();
  const double largest = top_of(grid) > 0 ? top_of(grid) : 1;
  const bool has_digits =
      rows <= kMostDigits && columns <= kMostDigits && columns * 5 <= letters && rows <= lines;
  const std::size_t label = std::min<std::size_t>(longest_label(grid.columns), 14);
  const bool is_turned = columns <= kMostDigits && columns * (label + 1) > letters;
  const std::size_t across = is_turned ? columns : std::max<std::size_t>(letters / (label + 3), 2);
  GridPlot out;
  // The ramp rises with the root of the value: small weights are to be seen beside large ones.
  out.before = fmt::format(
      "set title {} offset 0,-0.5\nset xlabel {}\nset ylabel {}\nunset logscale\nunset key\n"
      "unset grid\nset border 0\nset tics scale 0\nset size ratio {}\n"
      "set rmargin {}\nset lmargin {}\n"
      "set palette defined (0 '#f7fbff', 0.0625 '#c6dbef', 0.25 '#6baed6', 0.5625 '#2171b5', 1 "
      "'#08306b')\nset cbrange [0:{}]\nset cbtics (\"0\" 0, \"{:.2g}\" {}, \"{:.2g}\" {})\n"
      "set cblabel {}\nset xrange [-0.5:{}.5]\nset yrange [{}.5:-0.5]\n",
      gnuplot_string(panel.heading), gnuplot_string(panel.x.label), gnuplot_string(panel.y.label),
      number_text(static_cast<double>(rows) / static_cast<double>(columns)), alone ? 12 : 8,
      std::min<std::size_t>(longest_label(grid.rows), 14) + (alone ? 5 : 4), number_text(largest),
      largest / 4, number_text(largest / 4), largest, number_text(largest),
      gnuplot_string(alone ? grid.value_label : ""), columns - 1, rows - 1);
  out.before += tics("x", grid_ticks(grid.columns, across));
  out.before += tics("y", grid_ticks(grid.rows, std::max<std::size_t>(lines / 2, 2)));
  out.before += is_turned ? "set xtics rotate by 90 right\n" : "set xtics norotate\n";
  out.plot = data + " using 1:2:3 with image" + (as_image ? "" : " pixels");
  if (has_digits) {
    // White digits on dark cells, black ones on light cells: not quite the black of all other text,
    // so that a page can tell them from what stands on its own background.
    const std::string limit = number_text(0.4 * largest);
    const auto digits = [&](const char* compare, const char* color) {
      return fmt::format(
          ", \\\n  {} using ($3 {} {} ? $1 : NaN):2:(sprintf(\"%.2f\", $3)) with labels tc rgb "
          "'{}'",
          data, compare, limit, color);
    };
    out.plot += digits("<=", "#0a0a0a") + digits(">", "#ffffff");
  }
  out.after =
      "unset title\nset size noratio\nset grid xtics ytics ls 100\nset border 3 lc rgb '#404040'\n"
      "set tics scale 1 nomirror out\nset xtics norotate\nset rmargin 4\nset lmargin 12\n";
  return out;
}

std::string grid_text(const FigurePanel& panel, std::size_t width) {
  const FigureGrid& grid = *panel.grid;
  const double largest = top_of(grid);
  const std::size_t label = std::min<std::size_t>(longest_label(grid.rows), 12);
  const std::size_t room = width > label + 3 ? width - label - 3 : 1;
  const std::size_t columns = grid.columns.size();
  const std::size_t signs = 2 * columns <= room ? 2 : 1;  // a cell
  const std::size_t shown = std::min(columns, room);
  std::string out;
  if (!panel.heading.empty()) out += shortened(panel.heading, width) + '\n';
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const std::string text = shortened(grid.rows[r], label);
    out += std::string(label - std::min(label, display_width(text)), ' ') + text + " |";
    for (std::size_t c = 0; c < shown; ++c) {
      const double share = largest > 0 ? grid.values[r][c].value_or(0) / largest : 0;
      const auto step = static_cast<std::size_t>(std::clamp(
          share * static_cast<double>(kSigns.size()), 0.0, static_cast<double>(kSigns.size() - 1)));
      out.append(signs, kSigns[step]);
    }
    out += "|\n";
  }
  const std::string caption =
      fmt::format("{} down, {} across; '{}' is 0, '@' {} {:.3g}{}", panel.y.label, panel.x.label,
                  kSigns[0], grid.value_label, largest,
                  shown < columns ? fmt::format("; the first {} of {}", shown, columns) : "");
  for (const std::string& line : wrapped_lines(caption, width)) out += line + '\n';
  return out;
}

}  // namespace attnlab
