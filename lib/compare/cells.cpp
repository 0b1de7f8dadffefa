#include "compare/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace attnlab {
namespace {

constexpr const char* kStatus = "status";

std::optional<double> number_in(const Cell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::string status_of(const Table& table, const Row& row) {
  const int index = table.index_of(kStatus);
  return index < 0 ? "ok" : cell_text(row.cells[static_cast<std::size_t>(index)]);
}

std::string reason_of(const Table& table, const Row& row) {
  const int index = table.index_of("reason");
  return index < 0 ? "" : cell_text(row.cells[static_cast<std::size_t>(index)]);
}

bool is_within(const Tolerance& tolerance, const Table& table, const Row& row, double base,
               double now) {
  double unit = 1;
  if (!tolerance.of.empty() && table.index_of(tolerance.of) >= 0) {
    unit = std::abs(number_in(table.at(row, tolerance.of)).value_or(0));
  }
  const double allowed = std::max(tolerance.relative * std::abs(base), tolerance.absolute * unit);
  return std::abs(now - base) <= allowed;
}

std::string tolerance_text(const Tolerance& tolerance) {
  if (tolerance.relative == 0 && tolerance.absolute == 0) return "nothing may differ";
  std::string out = "more than its tolerance:";
  if (tolerance.relative != 0) out += fmt::format(" {:g} of the value", tolerance.relative);
  if (tolerance.relative != 0 && tolerance.absolute != 0) out += " or";
  if (tolerance.absolute != 0) out += fmt::format(" {:g}", tolerance.absolute);
  return out + (tolerance.of.empty() ? "" : " x " + tolerance.of);
}

void compare_numbers(const TablePair& tables, const RowPair& rows, const Column& column,
                     double base, double now, ComparedValue& value) {
  if (base != 0) value.ratio = now / base;
  const bool is_exact = column.kind == ColumnKind::kExact;
  if (base == now ||
      (!is_exact && is_within(column.tolerance, *tables.base, *rows.base, base, now))) {
    return;
  }
  const bool is_better = column.better == Better::kLower    ? now < base
                         : column.better == Better::kHigher ? now > base
                                                            : false;
  value.verdict = is_better ? ChangeVerdict::kImproved : ChangeVerdict::kRegressed;
  value.reason = is_exact ? "a count that differs" : tolerance_text(column.tolerance);
}

[[noreturn]] void refuse(const TablePair& tables, const Column& column,
                         const std::string& problem) {
  throw UserError(fmt::format("table {}, column {}", tables.any().name, column.name), problem,
                  "compare results of versions that write the same columns");
}

}  // namespace

ComparedValue value_of(const Table& table, const Row& row) {
  ComparedValue out;
  out.experiment = table.experiment;
  out.table = table.name;
  out.parameters = parameters_text(table, row);
  return out;
}

bool is_ok(const Table& table, const Row& row) { return status_of(table, row) == "ok"; }

bool compare_status(const TablePair& tables, const RowPair& rows,
                    std::vector<ComparedValue>& values) {
  const std::string base = status_of(*tables.base, *rows.base);
  const std::string now = status_of(*tables.now, *rows.now);
  if (base == "ok" && now == "ok") return true;
  ComparedValue value = value_of(*tables.base, *rows.base);
  value.column = kStatus;
  value.base = base;
  value.now = now;
  const Row& telling = now == "ok" ? *rows.base : *rows.now;
  value.reason = reason_of(now == "ok" ? *tables.base : *tables.now, telling);
  if (now == base) {
    value.verdict = ChangeVerdict::kSame;
  } else if (now == "failed") {
    value.verdict = ChangeVerdict::kRegressed;
  } else if (now == "ok") {
    value.verdict = base == "failed" ? ChangeVerdict::kImproved : ChangeVerdict::kExtra;
  } else {
    value.verdict = ChangeVerdict::kMissing;  // skipped or refused: there is no value now
  }
  values.push_back(std::move(value));
  return false;
}

void compare_cells(const TablePair& tables, const RowPair& rows,
                   std::vector<ComparedValue>& values) {
  for (std::size_t i = 0; i < tables.base->columns.size(); ++i) {
    const Column& column = tables.base->columns[i];
    const bool is_of_a_kind =
        column.kind == ColumnKind::kExact || column.kind == ColumnKind::kMeasured;
    if (!is_of_a_kind || column.name == kStatus) continue;
    ComparedValue value = value_of(*tables.base, *rows.base);
    value.column = column.name;
    value.unit = column.unit;
    value.kind = column.kind;
    value.base = rows.base->cells[i];
    const int index = tables.now->index_of(column.name);
    if (index < 0) {
      value.verdict = ChangeVerdict::kMissing;
      value.reason = "the new table has no such column";
      values.push_back(std::move(value));
      continue;
    }
    const std::size_t there = static_cast<std::size_t>(index);
    if (tables.now->columns[there].unit != column.unit) {
      refuse(tables, column,
             fmt::format("has the unit \"{}\" in the old result and \"{}\" in the new one",
                         column.unit, tables.now->columns[there].unit));
    }
    value.now = rows.now->cells[there];
    const auto base = number_in(value.base), now = number_in(value.now);
    const bool base_is_null = std::holds_alternative<std::monostate>(value.base);
    const bool now_is_null = std::holds_alternative<std::monostate>(value.now);
    if (base && now) {
      compare_numbers(tables, rows, column, *base, *now, value);
    } else if (!base_is_null && !now_is_null && value.base.index() != value.now.index()) {
      refuse(tables, column,
             fmt::format("holds {} in the old result and {} in the new one",
                         shown(cell_json(value.base)), shown(cell_json(value.now))));
    } else if (value.base != value.now) {
      value.verdict = base_is_null  ? ChangeVerdict::kExtra
                      : now_is_null ? ChangeVerdict::kMissing
                                    : ChangeVerdict::kRegressed;
      value.reason = base_is_null || now_is_null ? "one side has no value" : "a value that differs";
    }
    values.push_back(std::move(value));
  }
}

}  // namespace attnlab
