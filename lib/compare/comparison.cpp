#include "compare/comparison.h"

#include <fmt/format.h>

#include "base/choice.h"
#include "base/text.h"
#include "compare/cells.h"
#include "compare/changes.h"
#include "compare/means.h"
#include "compare/samples.h"

namespace attnlab {
namespace {

// The value of a row, or of a whole table, that only one result has.
ComparedValue lone(ComparedValue value, bool is_old, std::string what) {
  value.verdict = is_old ? ChangeVerdict::kMissing : ChangeVerdict::kExtra;
  value.reason = std::move(what);
  return value;
}

void compare_tables(const TablePair& tables, TimeComparison& times,
                    std::vector<ComparedValue>& values) {
  const bool has_base = tables.base != nullptr;
  if (!has_base || tables.now == nullptr) {
    ComparedValue value;
    value.experiment = tables.any().experiment;
    value.table = tables.any().name;
    values.push_back(lone(std::move(value), has_base,
                          fmt::format("the whole table, {} rows, is only in the {} result",
                                      tables.any().rows.size(), has_base ? "old" : "new")));
    return;
  }
  for (const RowPair& rows : tables.rows) {
    if (rows.now == nullptr) {
      values.push_back(
          lone(value_of(*tables.base, *rows.base), true, "the new result has no such row"));
    } else if (rows.base == nullptr) {
      values.push_back(
          lone(value_of(*tables.now, *rows.now), false, "the old result has no such row"));
    } else if (compare_status(tables, rows, values)) {
      times.add(tables, rows, values);
      compare_cells(tables, rows, values);
    }
  }
}

}  // namespace

std::string Comparison::counts_text() const {
  std::vector<std::string> words;
  for (const ChangeVerdict verdict : verdicts_by_weight()) {
    if (count(verdict) > 0)
      words.push_back(fmt::format("{} {}", count(verdict), choice_name(verdict)));
  }
  return words.empty() ? "nothing to compare" : join(words, ", ");
}

Table Comparison::table() const {
  Table out("compare", "compare", compared_columns());
  out.is_detail = true;
  for (const ComparedValue& value : values) add_compared(value, out);
  return out;
}

Comparison compare_results(const Result& base, const std::string& base_place, const Result& now,
                           const std::string& now_place, const CompareOptions& options) {
  check_values(base, base_place);
  check_values(now, now_place);
  Comparison out;
  TimeComparison times(options);
  for (const TablePair& tables : matched_tables(base, now, !options.relative_to.empty())) {
    compare_tables(tables, times, out.values);
  }
  times.judge(out.values);
  out.means = geometric_means(times, out.values);
  for (const ComparedValue& value : out.values)
    ++out.counts[static_cast<std::size_t>(value.verdict)];
  return out;
}

}  // namespace attnlab
