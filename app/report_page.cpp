#include "app/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/figure_output.h"
#include "app/gnuplot.h"
#include "app/plan.h"
#include "app/repeat_command.h"
#include "app/signals.h"
#include "base/error.h"
#include "experiments/explanations.h"
#include "experiments/figures.h"
#include "experiments/inspect_widget.h"
#include "report/figure_thinned.h"
#include "report/inline_svg.h"

namespace attnlab {
namespace {

// The panels one by one, so that a page can put them side by side; heat maps stay together.
std::vector<Figure> parts_of(Figure figure) {
  if (figure.panels.size() < 2 || figure.panels.front().grid) return {std::move(figure)};
  std::vector<Figure> out;
  for (FigurePanel& panel : figure.panels) out.push_back({figure.title, {std::move(panel)}});
  return out;
}

// Whether there is more to see than single points, which the table tells better.
bool is_worth_drawing(const Figure& figure) {
  return figure.has_points() &&
         std::any_of(figure.panels.begin(), figure.panels.end(), [](const FigurePanel& panel) {
           return panel.grid ||
                  std::any_of(panel.series.begin(), panel.series.end(),
                              [](const FigureSeries& one) { return one.points.size() > 1; });
         });
}

class PageMaker {
 public:
  PageMaker(Language language, std::string title) : gnuplot_(find_gnuplot()) {
    page_.language = language;
    page_.title = std::move(title);
  }

  void add(PlacedResult placed) {
    PageResult one{.result = std::move(placed.result),
                   .place = std::move(placed.place),
                   .command = {},
                   .experiments = {},
                   .surprises = {}};
    one.experiments = experiments_of(one.result);
    for (PageExperiment& part : one.experiments) {
      part.question = question_of(one.result.tables[part.first_table].experiment, page_.language);
      add_figures(one.result, part);
    }
    add_repeats(one);
    for (std::size_t t = 0; t < one.result.tables.size(); ++t) {
      for (Surprise& found : surprises_of(one.result.tables[t], page_.language)) {
        one.surprises.push_back({std::move(found.text), t, found.row});
      }
    }
    page_.results.push_back(std::move(one));
  }

  Page take() {
    page_.sections.push_back(inspect_widget(page_.language));
    return std::move(page_);
  }

 private:
  void add_figures(const Result& result, PageExperiment& part) {
    for (const std::size_t index : tables_with_figures(result.tables)) {
      if (index < part.first_table || index >= part.end_table || stop_signal() != 0) continue;
      Figure figure = figure_of(result.tables, index);
      if (!is_worth_drawing(figure)) continue;
      if (gnuplot_.empty()) {
        page_.lacks_plots = true;
        continue;
      }
      leave_out_grids(figure);
      const bool is_thinned = thin_points(figure);
      for (const Figure& one : parts_of(std::move(figure))) {
        const Pixels size = usual_size(one);
        GnuplotOptions options;
        options.width = size.width;
        options.height = size.height;
        options.grids_as_images = true;
        try {
          const std::string svg = draw(gnuplot_, gnuplot_files(one, options), options);
          part.figures.push_back(
              {one.title, inline_svg(svg, fmt::format("p{}-", ++figures_), one.title), is_thinned});
        } catch (const RunError& failure) {  // the tables are worth a page without it
          ++page_.failed_plots;
          page_.plot_failure = failure.what();
        }
      }
    }
  }

  // What the provenance tells: the whole command line, and one for each experiment of the config.
  void add_repeats(PageResult& one) const {
    const Json& provenance = one.result.provenance;
    if (!provenance.is_object()) return;
    if (const Json line = provenance.value("command_line", Json()); line.is_array()) {
      std::vector<std::string> words;
      for (const Json& word : line) {
        if (word.is_string()) words.push_back(word.get<std::string>());
      }
      one.command = shell_line(words);
    }
    std::vector<Mistake> mistakes;
    const Json config = provenance.value("config", Json());
    if (!config.is_object()) return;
    const Plan plan = read_plan(config, one.place, mistakes);
    if (!mistakes.empty() || plan.experiments.size() != one.experiments.size()) return;
    for (std::size_t x = 0; x < one.experiments.size(); ++x) {
      const PlannedExperiment& planned = plan.experiments[x];
      PageExperiment& part = one.experiments[x];
      if (one.result.tables[part.first_table].experiment != planned.info->name) return;
      part.command = repeat_command(planned);
      const std::vector<Table> tables = planned.experiment->tables();
      for (std::size_t t = part.first_table; t < part.end_table; ++t) {
        const Table& shown = one.result.tables[t];
        const bool is_detail = std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
          const bool is_drawn = table.matrix.has_value();  // a plot tells it better
          return table.name == shown.base_name && (table.is_detail || is_drawn);
        });
        if (is_detail) part.detail_tables.push_back(shown.name);
      }
    }
  }

  const std::string gnuplot_;
  Page page_;
  std::size_t figures_ = 0;
};

}  // namespace

Page report_page(std::vector<PlacedResult> results, Language language, std::string title) {
  PageMaker maker(language, std::move(title));
  for (PlacedResult& one : results) maker.add(std::move(one));
  return maker.take();
}

}  // namespace attnlab
