#include "report/figure.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "report/figure_gnuplot.h"
#include "report/figure_scale.h"
#include "report/figure_text.h"
#include "report/figure_thinned.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

Figure sample_figure() {
  FigureSeries naive{
      .name = "naive", .style = 0, .points = {{64, 1e-4, 9e-5, 1.2e-4}, {1024, 2e-2}}};
  naive.curve = {{64, 1e-4}, {256, 1.4e-3}, {1024, 2e-2}};
  naive.curve_name = "a n^2 + b";
  FigureSeries linear{.name = "linear", .style = 1, .points = {{64, 4e-4}, {1024, 6e-3}}};
  FigurePanel panel{.name = "time",
                    .x = {.label = "n", .counts_in_twos = true},
                    .y = {.label = "time", .unit = "s"},
                    .series = {naive, linear},
                    .marks = {{256, 1.5e-3, "linear faster from n = 256"}},
                    .mark_name = "crossover"};
  return {"A title", {panel}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> labels_of(const FigureScale& scale) {
  std::vector<std::string> out;
  for (const FigureTick& tick : scale.ticks) out.push_back(tick.label);
  return out;
}

FigurePanel panel_of(FigureAxis x, FigureAxis y, std::vector<FigurePoint> points) {
  return {.name = "p",
          .x = std::move(x),
          .y = std::move(y),
          .series = {{.name = "s", .points = std::move(points)}}};
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("ticks carry units", "[report]") {
  CHECK(tick_label(2.5e-4, "s") == "250 µs");
  CHECK(tick_label(1e-6, "s") == "1 µs");
  CHECK(tick_label(1e-3, "s") == "1 ms");
  CHECK(tick_label(2000, "s") == "2000 s");
  CHECK(tick_label(0, "s") == "0 s");
  CHECK(tick_label(2e9, "FLOP/s") == "2 GFLOP/s");
  CHECK(tick_label(1536, "B") == "1.5 KiB");
  CHECK(tick_label(131072, "") == "131072");
}

TEST_CASE("ticks are round, few, and at least two", "[report]") {
  const FigureAxis twos{.label = "n", .counts_in_twos = true}, plain{.label = "y"};
  CHECK(labels_of(scale_of_x(panel_of(twos, plain, {{64, 1}, {1024, 2}}), 8)) ==
        Labels{"64", "128", "256", "512", "1024"});
  CHECK(labels_of(scale_of_x(panel_of(twos, plain, {{64, 1}, {131072, 2}}), 8)) ==
        Labels{"64", "256", "1024", "4096", "16384", "65536"});
  CHECK(labels_of(
            scale_of_y(panel_of(plain, {.label = "t", .unit = "s"}, {{1, 1e-4}, {2, 1e-2}}), 8)) ==
        Labels{"100 µs", "200 µs", "500 µs", "1 ms", "2 ms", "5 ms", "10 ms"});
  CHECK(labels_of(scale_of_y(panel_of(plain, {.label = "t", .unit = "s"}, {{1, 1e-9}, {2, 1}}), 8))
            .size() <= 8);
  for (const double ratio : {1.0, 1.001, 1.2, 1.9, 3.0, 30.0, 1e6, 1e12}) {
    for (const bool is_logarithmic : {true, false}) {
      const FigureAxis axis{.label = "y", .is_logarithmic = is_logarithmic};
      const FigureScale scale = scale_of_y(panel_of(plain, axis, {{1, 0.7}, {2, 0.7 * ratio}}), 8);
      INFO(ratio << " " << is_logarithmic);
      CHECK(scale.ticks.size() >= 2);
      CHECK(scale.ticks.size() <= 9);
      CHECK((scale.place(0.7) > 0 && scale.place(0.7 * ratio) < 1));
      for (const FigureTick& tick : scale.ticks) {
        CHECK((scale.place(tick.value) >= 0 && scale.place(tick.value) <= 1));
      }
    }
  }
}

TEST_CASE("a logarithmic axis leaves out what it cannot show", "[report]") {
  const FigureAxis axis{.label = "y"};
  Figure figure{"t", {panel_of(axis, axis, {{0, 1}, {1, -1}, {2, NAN}})}};
  CHECK(!figure.has_points());
  CHECK(figure_text(figure, {}).size() > 100);  // an empty field, no crash
  figure.panels[0].series[0].points.push_back({3, 5});
  CHECK(figure.has_points());
  const GnuplotFiles files = gnuplot_files(figure, {});
  CHECK(has(files.data, "\n3 5 5 5\n"));
  CHECK(!has(files.data, "-1"));
}

TEST_CASE("nothing is special in a gnuplot string", "[report]") {
  CHECK(gnuplot_string("'a' \"b\" \\c @d {e} `f` %g $h # µ") ==
        "\"\\047a\\047 \\042b\\042 \\134c \\100d {e} \\140f\\140 %g $h # µ\"");
  const std::string two_lines = gnuplot_string("one\ntwo\x1b[0m");
  CHECK(two_lines.find('\n') == std::string::npos);
  CHECK(two_lines.find('\x1b') == std::string::npos);
}

TEST_CASE("a script has the panels, series, marks and quoted names", "[report]") {
  Figure figure = sample_figure();
  figure.title = "it's\nmine";
  const GnuplotFiles files = gnuplot_files(figure, {.format = FigureFormat::kPng,
                                                    .width = 640,
                                                    .height = 400,
                                                    .data_file = "it's.dat",
                                                    .output_file = "it's.png"});
  INFO(files.script);
  CHECK(files.script.starts_with(kGnuplotFileStart));
  CHECK(files.data.starts_with(kGnuplotFileStart));
  CHECK(has(files.script, "set terminal pngcairo noenhanced size 640,400"));
  CHECK(has(files.script, "set output \"./it\\047s.png\""));
  CHECK(has(files.script, "\"./it\\047s.dat\" index 0 using 1:2"));
  CHECK(has(files.script, "title \"naive: a n^2 + b\""));
  CHECK(has(files.script, "\"linear faster from n = 256\" at first 256"));
  CHECK(has(files.script, "title \"crossover\""));
  CHECK(has(files.data, "64 0.0001 9e-05 0.00012\n"));
  // Two series differ by marker and dash, not by colour alone.
  CHECK((has(files.script, "pt 7") && has(files.script, "pt 5")));
  CHECK((has(files.script, "dt 1 lw 2") && has(files.script, "dt (12,5)")));
}

TEST_CASE("a long title is broken into lines and cut", "[report]") {
  Figure figure = sample_figure();
  for (int i = 0; i < 60; ++i) figure.title += " many words";
  const std::string script = gnuplot_files(figure, {}).script;
  CHECK(has(script, "\".\"\\n\".\""));
  CHECK(has(script, " ...\""));
}

TEST_CASE("the text plot shows letters, axes with units and a legend", "[report]") {
  const std::string text = figure_text(sample_figure(), {});
  INFO(text);
  for (const char* part : {"A title\n", "time against n\n", "10 ms ┤", "└", "┬", "  64  ", "1024",
                           "  a  naive: a n^2 + b\n", "  b  linear\n", "·",
                           "  X  crossover: linear faster from n = 256\n"}) {
    CHECK(has(text, part));
  }
  CHECK(!has(text, "several at one place"));
  // The largest time of naive stands above that of linear, in the last columns.
  const auto lines = split(text, '\n');
  std::size_t row_a = 0, row_b = 0;
  for (std::size_t i = 2; i < 20; ++i) {
    if (lines[i].ends_with("a")) row_a = i;
    if (lines[i].ends_with("b")) row_b = i;
  }
  CHECK(row_a > 0);
  CHECK(row_a < row_b);
}

TEST_CASE("the text plot keeps to its width and, where asked, to ASCII", "[report]") {
  Figure figure = sample_figure();
  figure.title = "Времена µ of a title that is longer than a line of forty columns can be";
  for (const std::size_t width : {40, 80, 100}) {
    for (const bool unicode : {true, false}) {
      const std::string text = figure_text(figure, {.width = width, .unicode = unicode});
      for (const std::string& line : split(text, '\n')) CHECK(display_width(line) <= width);
      if (unicode) continue;
      for (const char letter : text) CHECK(static_cast<unsigned char>(letter) < 0x80);
      CHECK(has(text, " us +"));
    }
  }
}

TEST_CASE("points at one place are shown as several", "[report]") {
  Figure figure = sample_figure();
  figure.panels[0].series[1].points = figure.panels[0].series[0].points;
  const std::string text = figure_text(figure, {});
  CHECK(has(text, "*  several at one place"));
}

TEST_CASE("a band is drawn behind the lines and counts for the scale", "[report]") {
  Figure figure = sample_figure();
  figure.panels[0].series[0].bands = {{{64, 0, 1e-5, 2e-4}, {1024, 0, 1e-2, 4e-1}, {2048, 0}}};
  CHECK(scale_of_y(figure.panels[0], 8).high > 4e-1);
  CHECK(scale_of_y(figure.panels[0], 8).low < 1e-5);
  const GnuplotFiles files = gnuplot_files(figure, {});
  CHECK(has(files.data, "64 0 1e-05 0.0002\n1024 0 0.01 0.4\n\n"));
  const std::size_t band =
      files.script.find("index 0 using 1:3:4 with filledcurves lc rgb '#0072b2'");
  REQUIRE(band != std::string::npos);
  CHECK(band < files.script.find("with lines"));
}

TEST_CASE("no tick is a negative zero", "[report]") {
  const FigurePanel panel = panel_of({.label = "x", .is_logarithmic = false},
                                     {.label = "y", .is_logarithmic = false}, {{0, 0}, {1, 1}});
  for (const std::string& label : labels_of(scale_of_y(panel, 8))) CHECK(label != "-0");
}

TEST_CASE("ticks of the largest and the smallest numbers are few and finite", "[report]") {
  for (const bool is_logarithmic : {true, false}) {
    for (const bool in_twos : {true, false}) {
      for (const double high : {1e300, 1e308, 1e17, 1e-300, 4e-320}) {
        for (const double low : {1.0, 1e-300, 4e-324, high * (1 - 2e-16), -high}) {
          INFO(low << " to " << high << (is_logarithmic ? " logarithmic" : ""));
          const FigureAxis axis{
              .label = "v", .is_logarithmic = is_logarithmic, .counts_in_twos = in_twos};
          const FigureScale scale = scale_of_y(panel_of(axis, axis, {{1, low}, {2, high}}), 8);
          CHECK(scale.ticks.size() <= 10);
          CHECK(scale.ticks.size() >= 1);
          CHECK(std::isfinite(scale.low));
          CHECK(std::isfinite(scale.high - scale.low));
          CHECK(scale.low < scale.high);
        }
      }
    }
  }
}

TEST_CASE("very many points are thinned to their extremes, few stay as they are", "[report]") {
  const auto figure_of = [](std::size_t count) {
    FigurePanel panel{.name = "p", .x = {.label = "d"}, .y = {.label = "v"}};
    FigureSeries one{.name = "s"};
    for (std::size_t i = 1; i <= count; ++i) {
      const double value = i == count / 3 ? 1e9 : i == count / 2 ? 1e-9 : 1.0 + 1.0 / double(i);
      one.points.push_back({double(i), value, value / 2, value * 2});
    }
    one.bands = {one.points};
    panel.series = {one};
    return Figure{"t", {panel}};
  };
  Figure small = figure_of(kMostPoints);
  CHECK_FALSE(thin_points(small));
  CHECK(small.panels[0].series[0].points.size() == kMostPoints);
  Figure large = figure_of(50000);
  CHECK(thin_points(large));
  const FigureSeries& one = large.panels[0].series[0];
  CHECK(one.points.size() <= kMostPoints);
  CHECK(one.bands[0].size() <= kMostPoints);
  CHECK(one.points.front().x == 1);
  CHECK(one.points.back().x == 50000);
  const auto has_value = [&](double value) {
    return std::any_of(one.points.begin(), one.points.end(),
                       [&](const FigurePoint& point) { return point.y == value; });
  };
  CHECK(has_value(1e9));
  CHECK(has_value(1e-9));
  CHECK(std::is_sorted(one.points.begin(), one.points.end(),
                       [](const FigurePoint& a, const FigurePoint& b) { return a.x < b.x; }));
}

TEST_CASE("wide labels of ticks get room, labels at marks stand there on white", "[report]") {
  FigurePanel panel = panel_of({.label = "x"}, {.label = "y", .unit = "FLOP/s"},
                               {{1, 1e11}, {10, 5e11}, {100, 9e11}});
  panel.marks = {{10, 5e11, "here"}};
  panel.labels_at_marks = true;
  const std::string script = gnuplot_files({"t", {panel}}, {}).script;
  CHECK(has(script, "set lmargin 16\n"));
  CHECK(has(script, "set label 1 \"here\" at first 10, first 500000000000"));
  CHECK(has(script, " boxed\n"));
  panel.y.unit = "s";
  panel.labels_at_marks = false;
  const std::string other = gnuplot_files({"t", {panel}}, {}).script;
  CHECK_FALSE(has(other, " boxed\n"));
}
