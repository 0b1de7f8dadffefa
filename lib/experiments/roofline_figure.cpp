// The roofline of a measured layer: what its parts reach beside what multiply-adds and memory allow
// at their intensity. Williams, Waterman, Patterson, Roofline: An Insightful Visual Performance
// Model for Multicore Architectures, 2009.
#include <algorithm>
#include <limits>
#include <map>

#include "experiments/figures.h"

namespace attnlab {
namespace {

struct Roof {
  double flops = 0;                     // FLOP/s of the arithmetic units
  std::map<std::string, double> bytes;  // B/s of reading, by level
};

// The best of all points' measurements.
Roof roof_of(const Table& peaks) {
  Roof out;
  for (const Row& row : peaks.rows) {
    const auto flops = number_in(peaks, row, "flops_per_second");
    const auto bytes = number_in(peaks, row, "bytes_per_second");
    if (flops) out.flops = std::max(out.flops, *flops);
    if (!bytes || text_in(peaks, row, "limit") != "read") continue;
    double& best = out.bytes[text_in(peaks, row, "level")];
    best = std::max(best, *bytes);
  }
  return out;
}

const Table* table_called(std::span<const Table> tables, std::string_view name) {
  for (const Table& table : tables) {
    if (table.base_name == name) return &table;
  }
  return nullptr;
}

class Roofline {
 public:
  explicit Roofline(std::span<const Table> tables) {
    for (const char* name : {"measured", "generation"}) {
      if (const Table* table = table_called(tables, name)) add_parts(*table);
    }
    if (const Table* peaks = table_called(tables, "peaks")) add_roofs(roof_of(*peaks));
  }

  FigurePanel panel() && {
    FigurePanel out{.name = "roofline",
                    .x = {.label = "intensity (FLOP per byte)"},
                    .y = {.label = "FLOP a second", .unit = "FLOP/s"}};
    out.series = std::move(series_);
    for (std::size_t i = 0; i < out.series.size(); ++i) out.series[i].style = i;
    return out;
  }

 private:
  void add_parts(const Table& table) {
    const bool is_step = table.base_name == "generation";
    for (const Row& row : table.rows) {
      const auto x = number_in(table, row, "intensity");
      const auto y = number_in(table, row, "flops_per_second");
      if (!x || !y) continue;
      const std::string name = is_step ? "decode" : text_in(table, row, "part");
      auto found = std::find_if(series_.begin(), series_.end(),
                                [&](const FigureSeries& one) { return one.name == name; });
      if (found == series_.end()) found = series_.insert(series_.end(), FigureSeries{name});
      found->points.push_back({*x, *y});
      lowest_ = std::min(lowest_, *x);
      highest_ = std::max(highest_, *x);
    }
    for (FigureSeries& one : series_) {
      std::sort(one.points.begin(), one.points.end(),
                [](const FigurePoint& a, const FigurePoint& b) { return a.x < b.x; });
    }
  }

  void add_roofs(const Roof& roof) {
    if (series_.empty() || roof.flops == 0) return;
    const double from = lowest_ / 2, to = highest_ * 2;
    for (const auto& [level, bytes] : roof.bytes) {
      const double ridge = roof.flops / bytes;
      FigureSeries line{"roof of " + level};
      line.points.push_back({from, std::min(bytes * from, roof.flops)});
      if (ridge > from && ridge < to) line.points.push_back({ridge, roof.flops});
      line.points.push_back({to, std::min(bytes * to, roof.flops)});
      series_.push_back(std::move(line));
    }
  }

  std::vector<FigureSeries> series_;
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = 0;
};

}  // namespace

Figure roofline_figure(const FigureTables& tables) {
  const Table& measured = tables.own.front();
  return {measured.title.empty() ? "attnlab cost: parts of a layer under the machine's roofs"
                                 : measured.title,
          {Roofline(tables.own).panel()}};
}

}  // namespace attnlab
