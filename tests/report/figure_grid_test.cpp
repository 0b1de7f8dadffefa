#include "report/figure_grid.h"

#include "base/text.h"
#include "report/figure_gnuplot.h"
#include "report/figure_text.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Figure figure_of(std::size_t panels, std::size_t side) {
  Figure out{.title = "weights", .panels = {}};
  for (std::size_t p = 0; p < panels; ++p) {
    FigurePanel panel{.name = "head=" + std::to_string(p),
                      .x = {.label = "key", .is_logarithmic = false},
                      .y = {.label = "query", .is_logarithmic = false}};
    FigureGrid grid{.rows = {}, .columns = {}, .values = {}, .value_label = "weight"};
    for (std::size_t i = 0; i < side; ++i) {
      grid.rows.push_back("q" + std::to_string(i));
      grid.columns.push_back("k'" + std::to_string(i));
      grid.values.emplace_back(side, 0.25);
      grid.values.back()[i] = std::nullopt;
    }
    grid.values[0][1] = 1.0;
    panel.grid = grid;
    panel.heading = panel.name;
    out.panels.push_back(panel);
  }
  return out;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a grid is an image in gnuplot, with digits where there is room", "[report]") {
  const GnuplotFiles small = gnuplot_files(figure_of(1, 3), {});
  CHECK(contains(small.script, "with image pixels"));
  CHECK(contains(small.script, "with labels"));
  CHECK(contains(small.script, "set yrange [2.5:-0.5]"));
  CHECK(contains(small.data, "1 0 1\n"));
  CHECK(contains(small.data, "0 0 NaN\n"));
  const GnuplotFiles large = gnuplot_files(figure_of(1, 40), {});
  CHECK_FALSE(contains(large.script, "with labels"));
}

TEST_CASE("several grids stand side by side", "[report]") {
  CHECK(contains(gnuplot_files(figure_of(1, 3), {}).script, "multiplot layout 1,1"));
  CHECK(contains(gnuplot_files(figure_of(2, 3), {}).script, "multiplot layout 1,2"));
  CHECK(contains(gnuplot_files(figure_of(5, 3), {}).script, "multiplot layout 2,3"));
}

TEST_CASE("a figure with a grid has something to show", "[report]") {
  CHECK(figure_of(1, 3).has_points());
  Figure empty = figure_of(1, 3);
  empty.panels[0].grid = FigureGrid{};
  CHECK_FALSE(empty.has_points());
}

TEST_CASE("ticks are at most as many as there is room for", "[report]") {
  const Figure figure = figure_of(1, 100);
  const auto ticks = grid_ticks(figure.panels[0].grid->columns, 12);
  CHECK(ticks.size() <= 12);
  CHECK(ticks[0].place == 0);
  CHECK(ticks[1].label == "k'9");
  CHECK(grid_ticks(figure.panels[0].grid->columns, 1000).size() == 100);
}

TEST_CASE("a grid as text is a ramp of signs, no wider than asked", "[report]") {
  const std::string text =
      figure_text(figure_of(1, 3), {.width = 40, .height = 10, .unicode = false});
  CHECK(contains(text, "q0 |  @@::|\n"));
  CHECK(contains(text, "q2 |::::  |\n"));
  CHECK(contains(join(split(text, '\n'), " "), "'@' weight 1"));  // wherever it is wrapped
  const std::string wide = figure_text(figure_of(1, 100), {.width = 40});
  for (const std::string& line : split(wide, '\n')) CHECK(display_width(line) <= 40);
  CHECK(contains(join(split(wide, '\n'), " "), "the first"));
}

}  // namespace
}  // namespace attnlab
