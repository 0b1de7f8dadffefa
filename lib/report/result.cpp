#include "report/result.h"

#include <algorithm>

namespace attnlab {
namespace {

Json column_json(const Column& column) {
  Json out = {{"name", column.name},          {"unit", column.unit},
              {"kind", name_of(column.kind)}, {"better", name_of(column.better)},
              {"tolerance", nullptr},         {"help", column.help}};
  const Tolerance& tolerance = column.tolerance;
  Json differ = Json::object();
  if (tolerance.relative > 0) differ["relative"] = tolerance.relative;
  if (tolerance.absolute > 0) differ["absolute"] = tolerance.absolute;
  if (!tolerance.of.empty()) differ["of"] = tolerance.of;
  if (!differ.empty()) out["tolerance"] = differ;
  if (!column.interval_low.empty()) {
    out["interval"] = {column.interval_low, column.interval_high};
  }
  return out;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"pass", "fail", "not checked"};
  return kNames[static_cast<int>(verdict)];
}

std::string_view name_of(Status status) {
  constexpr std::string_view kNames[] = {"complete", "interrupted", "failed"};
  return kNames[static_cast<int>(status)];
}

const Table* Result::find(std::string_view table_name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == table_name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string_view name_without_number(std::string_view table_name) {
  const std::size_t dash = table_name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == table_name.size()) return table_name;
  const bool is_numbered =
      table_name.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
  return is_numbered ? table_name.substr(0, dash) : table_name;
}

Json expectation_json(const Expectation& expectation) {
  Json out = {{"table", expectation.table},       {"row", expectation.row},
              {"column", expectation.column},     {"expected", expectation.expected},
              {"measured", expectation.measured}, {"verdict", name_of(expectation.verdict)}};
  if (!expectation.reason.empty()) out["reason"] = expectation.reason;
  return out;
}

Json table_head_json(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns) columns.push_back(column_json(column));
  return {{"name", table.name},
          {"experiment", table.experiment},
          {"title", table.title},
          {"columns", columns},
          {"notes", table.notes}};
}

}  // namespace attnlab
