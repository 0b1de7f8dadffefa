// `attnlab plot RESULT -o FIGURE`: the figure of a table, drawn by gnuplot; without gnuplot its
// script and data.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/command.h"
#include "app/figure_file.h"
#include "app/gnuplot.h"
#include "app/signals.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "experiments/figures.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastPixels = 200, kMostPixels = 10000;
constexpr int kWidth = 800, kPanelHeight = 560;

struct Pixels {
  int width, height;
};

// "800x600"; UserError otherwise.
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

FigureFormat format_of(const std::string& path) {
  if (path.empty()) throw UserError("--output", "names no figure", "give it: -o time.svg");
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".svg") return FigureFormat::kSvg;
  if (extension == ".png") return FigureFormat::kPng;
  throw UserError("--output",
                  extension.empty() ? printable(path) + " has no extension"
                                    : "no figure has the extension " + printable(extension),
                  "use .svg or .png");
}

// The figure that --table asks for, or the first of the result.
Figure chosen_figure(const Result& result, const std::string& place, const std::string& name) {
  const std::vector<std::size_t> all = tables_with_figures(result.tables);
  std::vector<std::string> names;
  for (const std::size_t index : all) names.push_back(result.tables[index].name);
  if (names.empty()) {
    throw UserError(place, "has no table that can be plotted",
                    "plot a result of sweep or variance");
  }
  if (name.empty()) return figure_of(result.tables, all.front());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (names[i] == name) return figure_of(result.tables, all[i]);
  }
  const std::string which = "plot " + join(names, ", ");
  if (result.find(name) != nullptr) {
    throw UserError("--table", printable(name) + " has no figure", which);
  }
  throw UserError("--table", "no table is called " + printable(name), which);
}

void choose_panel(Figure& figure, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const FigurePanel& panel : figure.panels) names.push_back(panel.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw UserError("--panel", "no panel is called " + printable(name),
                    "one of " + join(names, ", "));
  }
  figure.panels = {figure.panels[static_cast<std::size_t>(found - names.begin())]};
}

class PlotCommand : public Command {
 public:
  PlotCommand()
      : Command({.name = "plot",
                 .summary = "a figure of a result, drawn by gnuplot",
                 .positionals = {{.name = "RESULT", .file = true}},
                 .examples = {"attnlab plot results/lesson -o variance.svg",
                              "attnlab plot results/lesson/result.json -o variance.png "
                              "--size 1200x800 --title 'Variance of q.k'"}}) {
    flags_.add("output", output_, "the figure to write: FIGURE.svg or FIGURE.png")
        .alias("o")
        .file();
    flags_.add("table", table_, "the table to plot, where several have a figure");
    flags_.add("panel", panel_, "only this panel of the figure: time or memory of a sweep");
    flags_.add("title", title_, "title of the figure").unset("that of the table");
    flags_.add("size", size_, "WIDTHxHEIGHT in pixels").unset("800x560 for each panel");
    flags_.add("force", force_, "overwrite files that are not attnlab's own");
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>&,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    GnuplotOptions options;
    options.format = format_of(output_);
    std::string place = arguments.positionals[0];
    std::error_code error;
    if (fs::is_directory(place, error)) place = (fs::path(place) / "result.json").string();
    Figure figure = chosen_figure(read_result(place), place, table_);
    choose_panel(figure, panel_);
    if (title_) figure.title = *title_;
    if (!figure.has_points()) {
      throw UserError(place, "has nothing to plot: no row has values",
                      "see the status and reason of its rows");
    }
    options.width = kWidth;
    options.height = kPanelHeight * static_cast<int>(figure.panels.size());
    if (size_) {
      const Pixels pixels = pixels_of(*size_);
      options.width = pixels.width;
      options.height = pixels.height;
    }
    const std::string gnuplot = find_gnuplot();
    if (!gnuplot.empty()) return write_figure(figure, options, gnuplot);
    write_script(figure, options);
    return ExitCode::kDone;
  }

 private:
  ExitCode write_figure(const Figure& figure, const GnuplotOptions& options,
                        const std::string& gnuplot) {
    check_replaceable(output_, force_);
    const std::string bytes = draw(gnuplot, gnuplot_files(figure, options), options);
    if (stop_signal() != 0) return code_of_signal(stop_signal());
    write_file(output_, {marked_figure(bytes, options.format, figure.title)});
    return ExitCode::kDone;
  }

  // Beside where the figure would be: the script names its data and the figure without folders.
  void write_script(const Figure& figure, GnuplotOptions options) {
    const fs::path path(output_);
    const std::string script = fs::path(path).replace_extension(".gp").string();
    const std::string data = fs::path(path).replace_extension(".dat").string();
    check_replaceable(script, force_);
    check_replaceable(data, force_);
    options.output_file = path.filename().string();
    options.data_file = fs::path(data).filename().string();
    const GnuplotFiles files = gnuplot_files(figure, options);
    write_file(data, {files.data});
    write_file(script, {files.script});
    fmt::print(
        stderr,
        "attnlab: gnuplot is not on PATH (Debian: apt-get install gnuplot-nox), so {} is not "
        "drawn; its script is {} and its data {}: run gnuplot on the script in their folder\n",
        printable(output_, 500), printable(script, 500), printable(data, 500));
  }

  std::string output_, table_, panel_;
  std::optional<std::string> title_, size_;
  bool force_ = false;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_plot_command() { return std::make_unique<PlotCommand>(); }

}  // namespace attnlab
