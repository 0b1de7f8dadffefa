#include "experiments/figures.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/text.h"

namespace attnlab {
namespace {

const std::vector<FigureSource>& sources() {
  static const std::vector<FigureSource> kSources{
      {"variance", {"d", "variance", "predicted", "scaled_variance"}, variance_figure},
      {"entropy", {"d", "keys", "scale", "trials", "entropy", "max_weight"}, entropy_figure},
      {"cost",
       {"layer_type", "n", "projection_macs", "attention_macs", "ffn_macs", "crossover_n"},
       cost_share_figure,
       true},
      {"cost", {"part", "intensity", "flops_per_second"}, roofline_figure},
      {"inspect", {"layer", "query", "key", "weight"}, inspect_figure},
      {"inspect", {"layer", "query_first", "key_first", "weight"}, inspect_figure},
      {"sweep", {"kernel", "n", "time", "working_set_bytes"}, sweep_figure},
  };
  return kSources;
}

const FigureSource* source_of(const Table& table) {
  for (const FigureSource& source : sources()) {
    const bool fits = source.experiment == table.experiment &&
                      std::all_of(source.columns.begin(), source.columns.end(),
                                  [&](std::string_view name) { return table.index_of(name) >= 0; });
    if (fits) return &source;
  }
  return nullptr;
}

// The parameters that tell series apart.
std::vector<std::string> series_columns(const Table& table, std::string_view x) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) {
    if (column.kind == ColumnKind::kParameter && column.name != x) out.push_back(column.name);
  }
  return out;
}

}  // namespace

bool has_figure(std::string_view experiment) {
  return std::any_of(sources().begin(), sources().end(),
                     [&](const FigureSource& source) { return source.experiment == experiment; });
}

std::vector<std::size_t> tables_with_figures(std::span<const Table> tables) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (source_of(tables[i]) != nullptr) out.push_back(i);
  }
  return out;
}

std::vector<std::size_t> tables_to_choose_from(std::span<const Table> tables) {
  std::vector<std::size_t> out = tables_with_figures(tables);
  std::stable_partition(out.begin(), out.end(),
                        [&](std::size_t index) { return !source_of(tables[index])->is_counted; });
  return out;
}

Figure figure_of(std::span<const Table> tables, std::size_t index) {
  const FigureSource* source = source_of(tables[index]);
  ATTNLAB_CHECK(source != nullptr);
  std::size_t end = index + 1;
  while (end < tables.size() && tables[end].experiment == tables[index].experiment &&
         source_of(tables[end]) == nullptr) {
    ++end;
  }
  return source->make({tables.subspan(index, end - index), tables});
}

std::optional<double> number_in(const Table& table, const Row& row, std::string_view column) {
  if (table.index_of(column) < 0) return std::nullopt;
  const Cell& cell = table.at(row, column);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::string text_in(const Table& table, const Row& row, std::string_view column) {
  return table.index_of(column) < 0 ? "" : cell_text(table.at(row, column));
}

std::vector<RowSeries> series_of(const Table& table, std::string_view x, std::string_view always) {
  const std::vector<std::string> columns = series_columns(table, x);
  std::vector<std::vector<std::string>> keys;  // one a series
  std::vector<std::string> names;
  std::vector<RowSeries> out;
  for (const Row& row : table.rows) {
    std::vector<std::string> key;
    for (const std::string& column : columns) key.push_back(text_in(table, row, column));
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) {
      keys.push_back(key);
      names.emplace_back();
      out.push_back({"", {&row}});
    } else {
      out[static_cast<std::size_t>(found - keys.begin())].rows.push_back(&row);
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::map<std::string, std::set<std::string>> values;  // among those of one name so far
    for (std::size_t i = 0; i < out.size(); ++i) values[out[i].name].insert(keys[i][c]);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool tells_apart = values[out[i].name].size() > 1 || columns[c] == always;
      if (tells_apart && !keys[i][c].empty())
        names[i] += (names[i].empty() ? "" : "/") + keys[i][c];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i].name = names[i];
  }
  return out;
}

std::vector<FigurePoint> points_of(const Table& table, const RowSeries& series, std::string_view x,
                                   std::string_view y, std::string_view low,
                                   std::string_view high) {
  std::vector<FigurePoint> out;
  for (const Row* row : series.rows) {
    const auto x_value = number_in(table, *row, x), y_value = number_in(table, *row, y);
    if (!x_value || !y_value) continue;
    out.push_back({*x_value, *y_value, number_in(table, *row, low), number_in(table, *row, high)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const FigurePoint& a, const FigurePoint& b) { return a.x < b.x; });
  return out;
}

}  // namespace attnlab
