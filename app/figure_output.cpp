#include "app/figure_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/figure_file.h"
#include "app/gnuplot.h"
#include "app/signals.h"
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "experiments/figures.h"
#include "report/figure_thinned.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastPixels = 200, kMostPixels = 10000;
constexpr int kWidth = 800, kPanelHeight = 560, kLegendLine = 24;
constexpr std::size_t kMostGrids = 16;  // of one figure

ExitCode draw_file(const Figure& figure, const GnuplotOptions& options, const std::string& gnuplot,
                   const std::string& path, bool force) {
  check_replaceable(path, force);
  const std::string bytes = draw(gnuplot, gnuplot_files(figure, options), options);
  if (stop_signal() != 0) return code_of_signal(stop_signal());
  write_file(path, {marked_figure(bytes, options.format, figure.title)});
  return ExitCode::kDone;
}

// Beside where the figure would be: the script names its data and the figure without folders.
void write_script(const Figure& figure, GnuplotOptions options, const std::string& output,
                  bool force) {
  const fs::path path(output);
  const std::string script = fs::path(path).replace_extension(".gp").string();
  const std::string data = fs::path(path).replace_extension(".dat").string();
  check_replaceable(script, force);
  check_replaceable(data, force);
  options.output_file = path.filename().string();
  options.data_file = fs::path(data).filename().string();
  const GnuplotFiles files = gnuplot_files(figure, options);
  write_file(data, {files.data});
  write_file(script, {files.script});
  fmt::print(stderr,
             "attnlab: gnuplot is not on PATH (Debian: apt-get install gnuplot-nox), so {} is not "
             "drawn; its script is {} and its data {}: run gnuplot on the script in their folder\n",
             printable(output, 500), printable(script, 500), printable(data, 500));
}

}  // namespace

Pixels pixels_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  std::vector<std::int64_t> numbers;
  for (const std::string& part : parts) {
    const auto number = integer_from_text(part);
    if (number && *number >= kLeastPixels && *number <= kMostPixels) numbers.push_back(*number);
  }
  if (parts.size() != 2 || numbers.size() != 2) {
    throw UserError("--size", printable(text) + " is no size of a figure",
                    fmt::format("give WIDTHxHEIGHT in pixels, each from {} to {}: 800x600",
                                kLeastPixels, kMostPixels));
  }
  return {static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
}

void leave_out_grids(Figure& figure) {
  const std::size_t count = figure.panels.size();
  if (count <= kMostGrids || !figure.panels.front().grid) return;
  figure.panels.resize(kMostGrids);
  fmt::print(
      stderr,
      "attnlab: the figure shows the first {} of {} heat maps; `attnlab plot` draws any other "
      "with --panel\n",
      kMostGrids, count);
}

// Grids stand side by side and are square; other panels one below the other.
Pixels usual_size(const Figure& figure) {
  const int count = static_cast<int>(figure.panels.size());
  if (!figure.panels.front().grid) {
    // A long legend, one entry a line at worst, takes nothing from the field below it.
    int height = 0;
    for (const FigurePanel& panel : figure.panels) {
      height += kPanelHeight + kLegendLine * std::max(0, static_cast<int>(panel.series.size()) - 4);
    }
    return {kWidth, height};
  }
  int columns = 1;
  while (columns * columns < count) ++columns;
  const int rows = (count + columns - 1) / columns;
  return {columns == 1 ? kWidth : 500 * columns, columns == 1 ? 700 : 460 * rows + 60};
}

std::optional<FigureFormat> figure_format_of(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".svg") return FigureFormat::kSvg;
  if (extension == ".png") return FigureFormat::kPng;
  return std::nullopt;
}

Figure chosen_figure(const Result& result, const std::string& place, const std::string& name) {
  const std::vector<std::size_t> all = tables_to_choose_from(result.tables);
  std::vector<std::string> names;
  for (const std::size_t index : all) names.push_back(result.tables[index].name);
  if (names.empty()) {
    throw UserError(place, "has no table that can be plotted",
                    "plot a result of variance, entropy, cost, sweep or inspect");
  }
  std::optional<Figure> found;
  for (std::size_t i = 0; i < all.size() && !found; ++i) {
    if (!name.empty() && names[i] != name) continue;
    Figure figure = figure_of(result.tables, all[i]);
    if (figure.has_points()) found = std::move(figure);
    if (!name.empty()) break;
  }
  const bool is_known = name.empty() || std::count(names.begin(), names.end(), name) > 0;
  if (found) return *found;
  if (is_known) {
    throw UserError(place, "has nothing to plot: no row has values",
                    "see the status and reason of its rows");
  }
  const std::string which = "plot " + join(names, ", ");
  if (result.find(name) != nullptr) {
    throw UserError("--table", printable(name) + " has no figure", which);
  }
  throw UserError("--table", "no table is called " + printable(name), which);
}

ExitCode write_figure_file(Figure figure, const std::string& path,
                           const std::optional<Pixels>& pixels, bool force) {
  leave_out_grids(figure);
  if (thin_points(figure)) {
    fmt::print(
        stderr,
        "attnlab: of a very long curve the figure shows what can be told apart: the extremes "
        "of each stretch\n");
  }
  GnuplotOptions options;
  options.format = *figure_format_of(path);
  const Pixels size = pixels ? *pixels : usual_size(figure);
  options.width = size.width;
  options.height = size.height;
  const std::string gnuplot = find_gnuplot();
  if (!gnuplot.empty()) return draw_file(figure, options, gnuplot, path, force);
  write_script(figure, options, path, force);
  return ExitCode::kDone;
}

}  // namespace attnlab
