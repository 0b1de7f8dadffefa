#include "app/text_plot.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "app/streams.h"
#include "base/error.h"
#include "experiments/figures.h"
#include "report/figure_text.h"

namespace attnlab {
namespace {

// Whether the locale's encoding is UTF-8, as the environment says (POSIX: the first that is set).
bool speaks_utf8() {
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string(term) == "dumb") return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void check_plot(const Plan& plan, const OutputFlags& flags) {
  if (flags.format != "table") {
    throw UserError("--plot", "draws in the terminal, not in " + flags.format,
                    "leave out one of --plot and --format");
  }
  const bool any = std::any_of(plan.experiments.begin(), plan.experiments.end(),
                               [](const PlannedExperiment& planned) {
                                 return !tables_with_figures(planned.experiment->tables()).empty();
                               });
  if (!any) {
    throw UserError("--plot", "no experiment of the config has a figure",
                    "leave it out; variance, entropy, cost, sweep and inspect have one");
  }
}

std::string text_plots(const Result& result, const OutputFlags& flags) {
  std::string out;
  const FigureTextOptions options{.width = std::min<std::size_t>(terminal_width(), 100),
                                  .unicode = speaks_utf8()};
  for (const std::size_t index : tables_with_figures(result.tables)) {
    if (!flags.table.empty() && result.tables[index].name != flags.table) continue;
    const Figure figure = figure_of(result.tables, index);
    if (figure.has_points()) out += '\n' + figure_text(figure, options);
  }
  return out;
}

}  // namespace attnlab
