// `attnlab plot RESULT -o FIGURE`: the figure of a table, drawn by gnuplot; without gnuplot its
// script and data.
#include <algorithm>
#include <filesystem>

#include "app/command.h"
#include "app/figure_output.h"
#include "base/text.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

void check_format(const std::string& path) {
  if (path.empty()) throw UserError("--output", "names no figure", "give it: -o time.svg");
  if (figure_format_of(path)) return;
  const std::string extension = fs::path(path).extension().string();
  throw UserError("--output",
                  extension.empty() ? printable(path) + " has no extension"
                                    : "no figure has the extension " + printable(extension),
                  "use .svg or .png");
}

void choose_panel(Figure& figure, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const FigurePanel& panel : figure.panels) names.push_back(panel.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    constexpr std::size_t kMostNames = 20;
    if (names.size() > kMostNames) {
      names.resize(kMostNames);
      names.emplace_back("...");
    }
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
    flags_.add("panel", panel_,
               "only this panel of the figure: time or memory of a sweep, head=3 of inspect");
    flags_.add("title", title_, "title of the figure").unset("that of the table");
    flags_.add("size", size_, "WIDTHxHEIGHT in pixels")
        .unset("800x560 for each panel, higher for a long legend");
    flags_.add("force", force_, "overwrite files that are not attnlab's own");
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>&,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    check_format(output_);
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
    return write_figure_file(std::move(figure), output_,
                             size_ ? std::optional(pixels_of(*size_)) : std::nullopt, force_);
  }

 private:
  std::string output_, table_, panel_;
  std::optional<std::string> title_, size_;
  bool force_ = false;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_plot_command() { return std::make_unique<PlotCommand>(); }

}  // namespace attnlab
