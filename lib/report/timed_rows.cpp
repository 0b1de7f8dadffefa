#include "report/timed_rows.h"

#include <algorithm>

#include "base/error.h"
#include "report/json_text.h"
#include "report/unique_names.h"

namespace attnlab {
namespace {

// "sweep/kernel:flash/isa:avx2/n:128": the table and the parameters that are set.
std::string benchmark_name(const Table& table, const Row& row) {
  std::string out = table.name;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.kind != ColumnKind::kParameter) continue;
    const std::string value = cell_text(row.cells[i]);
    if (!value.empty()) out += "/" + column.name + ":" + value;
  }
  return valid_text(out);
}

std::int64_t threads_of(const Result& result, const Table& table, const Row& row) {
  if (table.index_of("threads") >= 0) {
    if (const auto* own = std::get_if<std::int64_t>(&table.at(row, "threads"))) return *own;
  }
  return result.provenance.value("threads", std::int64_t{1});
}

std::optional<double> real_of(const Table& table, const Row& row, const std::string& column) {
  if (table.index_of(column) < 0) return std::nullopt;
  const auto* real = std::get_if<double>(&table.at(row, column));
  return real != nullptr ? std::optional(*real) : std::nullopt;
}

// The first timed column of the row that has a value, with its interval; otherwise the middle of
// all samples.
void set_time(TimedRow& out) {
  for (const Column& column : out.table->columns) {
    if (column.kind != ColumnKind::kTimed || column.unit != "s") continue;
    const std::optional<double> time = real_of(*out.table, *out.row, column.name);
    if (!time) continue;
    out.seconds = *time;
    const auto low = real_of(*out.table, *out.row, column.interval_low);
    const auto high = real_of(*out.table, *out.row, column.interval_high);
    if (low && high) out.interval = {*low, *high};
    return;
  }
  std::vector<double> all;
  for (const auto& process : out.row->time_samples) {
    all.insert(all.end(), process.begin(), process.end());
  }
  out.seconds = middle_of(all);
}

}  // namespace

std::size_t TimedRow::samples() const {
  std::size_t out = 0;
  for (const auto& process : row->time_samples) out += process.size();
  return out;
}

std::vector<TimedRow> timed_rows(const Result& result, const PrintOptions& options) {
  std::vector<TimedRow> out;
  UniqueNames names;
  for (const Table& table : result.tables) {
    if (!options.table.empty() && &table != &chosen_table(result, options)) continue;
    for (const Row& row : table.rows) {
      TimedRow one{&table, &row};
      if (one.samples() == 0) continue;
      one.name = names.make(benchmark_name(table, row));
      one.threads = threads_of(result, table, row);
      set_time(one);
      out.push_back(std::move(one));
    }
  }
  if (out.empty()) {
    throw UserError("--format", "no row was timed",
                    "--format table shows the status and the reason of each");
  }
  return out;
}

bool has_timed_columns(const Result& result) {
  return std::any_of(result.tables.begin(), result.tables.end(), [](const Table& table) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [](const Column& column) { return column.kind == ColumnKind::kTimed; });
  });
}

double middle_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

bool begins_with_name(std::string_view start, std::string_view opening, const Result& result) {
  if (!start.starts_with(opening)) return false;
  start.remove_prefix(opening.size());
  return std::any_of(result.tables.begin(), result.tables.end(), [&](const Table& table) {
    return start.starts_with(valid_text(table.name) + "/");
  });
}

}  // namespace attnlab
