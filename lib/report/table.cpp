#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/number.h"

namespace attnlab {

std::string_view name_of(ColumnKind kind) {
  constexpr std::string_view kNames[] = {"parameter", "exact", "measured", "timed", "derived"};
  return kNames[static_cast<int>(kind)];
}

std::string_view name_of(Better better) {
  constexpr std::string_view kNames[] = {"none", "lower", "higher"};
  return kNames[static_cast<int>(better)];
}

Column parameter_column(const ParameterList& parameters, std::string_view name) {
  const Parameter& parameter = parameters.at(name);
  Column out;
  out.name = parameter.name();
  out.help = parameter.help();
  out.kind = ColumnKind::kParameter;
  out.unit = parameter.unit();
  return out;
}

Column status_column() {
  return {"status", "what became of the row: ok, skipped, refused or failed", ColumnKind::kExact};
}

Column reason_column() {
  return {"reason", "why a value of the row does not exist", ColumnKind::kDerived};
}

Table::Table(std::string table_name, std::string from_experiment, std::vector<Column> table_columns)
    : name(table_name),
      base_name(std::move(table_name)),
      experiment(std::move(from_experiment)),
      columns(std::move(table_columns)) {}

Table::RowWriter& Table::RowWriter::set_cell(std::string_view column, Cell value) {
  if (next_ >= table_->columns.size() || table_->columns[next_].name != column) {
    const int found = table_->index_of(column);
    ATTNLAB_CHECK(found >= 0);
    next_ = static_cast<std::size_t>(found);
  }
  const std::size_t index = next_++;
  if (const double* number = std::get_if<double>(&value); number && !std::isfinite(*number)) {
    value = std::monostate();
  }
  row_->cells[index] = std::move(value);
  return *this;
}

Table::RowWriter Table::add_row() {
  rows.push_back({std::vector<Cell>(columns.size()), {}});
  RowWriter writer(*this, rows.back());
  if (index_of("status") >= 0) writer.set("status", "ok");
  return writer;
}

int Table::index_of(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& c) { return c.name == column; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

const Cell& Table::at(const Row& row, std::string_view column) const {
  const int index = index_of(column);
  ATTNLAB_CHECK(index >= 0);
  return row.cells[static_cast<std::size_t>(index)];
}

void Table::add_note(std::string text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

Json cell_json(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      cell);
}

std::string cell_text(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return number_text(*number);
  return cell_json(cell).dump();
}

Json row_json(const Table& table, const Row& row) {
  Json out = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out[table.columns[i].name] = cell_json(row.cells[i]);
  }
  if (!row.time_samples.empty()) out["time_samples"] = row.time_samples;
  return out;
}

}  // namespace attnlab
