// The figure of a sweep: time against n with the preferred fits and the crossovers, and the working
// set against n.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/figures.h"
#include "measure/model.h"

namespace attnlab {
namespace {

constexpr int kCurvePoints = 96;
constexpr std::size_t kMostLabelledSeries = 4;  // among more, labels would hide points
constexpr std::size_t kMostLabels = 3;          // more marks than that are shown without labels
constexpr double kFarthestMark = 4;  // times the largest n; farther ones would squeeze the rest

const Table* table_with(std::span<const Table> tables, std::string_view column) {
  for (const Table& table : tables.subspan(1)) {
    if (table.index_of(column) >= 0) return &table;
  }
  return nullptr;
}

struct FittedModel {
  const ModelForm* form;
  ModelCoefficients coefficients;
};

// Whether a row of another table agrees with a row of `sweep` in all parameters that both have.
bool agrees(const Table& sweep, const Row& of, const Table& other, const Row& row) {
  return std::all_of(other.columns.begin(), other.columns.end(), [&](const Column& column) {
    return column.kind != ColumnKind::kParameter || column.name == "n" ||
           sweep.index_of(column.name) < 0 ||
           text_in(other, row, column.name) == text_in(sweep, of, column.name);
  });
}

// The preferred fit of a series.
std::optional<FittedModel> preferred_model(const Table& sweep, const Row& of, const Table& fits) {
  for (const Row& row : fits.rows) {
    if (text_in(fits, row, "preferred") != "true") continue;
    const ModelForm* form = find_model_form(text_in(fits, row, "model"));
    if (!agrees(sweep, of, fits, row) || form == nullptr) continue;
    const ModelCoefficients found{number_in(fits, row, "a"), number_in(fits, row, "b"),
                                  number_in(fits, row, "c"), number_in(fits, row, "exponent")};
    const bool is_whole = form->is_power_law ? found.a && found.exponent
                                             : (!form->a || found.a) && (!form->b || found.b) &&
                                                   (!form->c || found.c);
    if (is_whole) return FittedModel{form, found};
  }
  return std::nullopt;
}

std::vector<FigurePoint> curve_of(const FittedModel& model, double from, double to) {
  std::vector<FigurePoint> out;
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double n = from * std::pow(to / from, static_cast<double>(i) / kCurvePoints);
    out.push_back({n, model_value(*model.form, model.coefficients, n)});
  }
  return out;
}

// The height of a line through points or curve at x, on log-log scales; no value outside it.
std::optional<double> height_at(const std::vector<FigurePoint>& points, double x) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const FigurePoint &left = points[i - 1], &right = points[i];
    if (x < left.x || x > right.x || left.x == right.x || !(left.y > 0) || !(right.y > 0)) continue;
    const double share = std::log(x / left.x) / std::log(right.x / left.x);
    return left.y * std::pow(right.y / left.y, share);
  }
  return std::nullopt;
}

// The crossovers that are near enough to be shown, each on the series that is faster beyond it.
std::vector<FigureMark> marks_of(const Table& sweep, const std::vector<RowSeries>& of,
                                 const Table& crossovers, const std::vector<FigureSeries>& series,
                                 double farthest) {
  std::vector<FigureMark> out;
  for (const Row& row : crossovers.rows) {
    const auto n = number_in(crossovers, row, "n");
    const std::string faster = text_in(crossovers, row, "faster");
    if (!n || *n > farthest) continue;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const FigureSeries& one = series[i];
      if (one.name != faster && !one.name.starts_with(faster + "/")) continue;
      if (!agrees(sweep, *of[i].rows.front(), crossovers, row)) continue;
      std::optional<double> height = height_at(one.points, *n);
      const bool is_beyond = !height;
      if (is_beyond) height = height_at(one.curve, *n);
      if (!height) continue;
      const std::string than =
          series.size() > 2 ? " than " + text_in(crossovers, row, "slower") : "";
      out.push_back({*n, *height,
                     fmt::format("{} faster{} from n = {:.0f}{}", one.name, than, *n,
                                 is_beyond ? " (by the fits)" : "")});
      break;
    }
  }
  if (out.size() > kMostLabels || series.size() > kMostLabelledSeries) {
    for (FigureMark& mark : out) mark.label.clear();
  }
  return out;
}

// How far the curve of a series goes: to its own largest n, and to crossovers of its own a little
// beyond what was measured.
double farthest_shown(const Table* crossovers, const std::string& name, double own,
                      double largest) {
  double out = own;
  if (crossovers == nullptr) return out;
  for (const Row& row : crossovers->rows) {
    const double n = number_in(*crossovers, row, "n").value_or(0);
    if (n > kFarthestMark * largest) continue;
    for (const char* column : {"slower", "faster"}) {
      const std::string kernel = text_in(*crossovers, row, column);
      if (name == kernel || name.starts_with(kernel + "/")) out = std::max(out, n);
    }
  }
  return out;
}

}  // namespace

Figure sweep_figure(const FigureTables& of) {
  const std::span<const Table> tables = of.own;
  const Table& sweep = tables.front();
  const Table* fits = table_with(tables, "model");
  const Table* crossovers = table_with(tables, "faster");
  const FigureAxis n{.label = "n (sequence length)", .counts_in_twos = true};
  FigurePanel time{.name = "time",
                   .x = n,
                   .y = {.label = "time (median, 95 % interval)", .unit = "s"},
                   .mark_name = "crossover"};
  FigurePanel memory{
      .name = "memory", .x = n, .y = {.label = "working set", .unit = "B", .counts_in_twos = true}};
  double largest = 0;
  for (const Row& row : sweep.rows) {
    const auto size = number_in(sweep, row, "n");
    if (!size || !number_in(sweep, row, "time")) continue;
    largest = std::max(largest, *size);
  }
  std::size_t style = 0;
  const std::vector<RowSeries> all = series_of(sweep, "n", "kernel");
  for (const RowSeries& rows : all) {
    FigureSeries times{.name = rows.name, .style = style};
    times.points = points_of(sweep, rows, "n", "time", "time_low", "time_high");
    const auto model =
        fits == nullptr ? std::nullopt : preferred_model(sweep, *rows.rows.front(), *fits);
    if (model && !times.points.empty()) {
      const double own = times.points.back().x;
      times.curve = curve_of(*model, times.points.front().x,
                             farthest_shown(crossovers, times.name, own, largest));
      times.curve_name = model->form->name;
    }
    FigureSeries sets{.name = rows.name, .style = style++};
    sets.points = points_of(sweep, rows, "n", "working_set_bytes", "", "");
    time.series.push_back(std::move(times));
    memory.series.push_back(std::move(sets));
  }
  if (crossovers != nullptr) {
    time.marks = marks_of(sweep, all, *crossovers, time.series, kFarthestMark * largest);
  }
  return {sweep.title.empty() ? "attnlab sweep: time and memory against n" : sweep.title,
          {std::move(time), std::move(memory)}};
}

}  // namespace attnlab
