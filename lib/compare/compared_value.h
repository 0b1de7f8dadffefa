// What a comparison found: one value of a row in the old result beside that in the new one.
#ifndef ATTNLAB_COMPARE_COMPARED_VALUE_H_
#define ATTNLAB_COMPARE_COMPARED_VALUE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace attnlab {

enum class ChangeVerdict { kSame, kImproved, kRegressed, kInconclusive, kMissing, kExtra };
inline constexpr std::size_t kChangeVerdicts = 6;
std::span<const std::string_view> choice_names(ChangeVerdict);  // "same", "improved", ...

struct ComparedValue {
  std::string experiment, table;
  std::string parameters;  // "kernel=flash n=128": what finds the row
  std::string column;      // "" where it concerns the whole row or table
  std::string unit;
  Cell base, now;
  std::optional<double> ratio, ratio_low, ratio_high, p;  // now / base; the latter three of times
  ChangeVerdict verdict = ChangeVerdict::kSame;
  std::string reason;  // where the verdict alone does not say it
  ColumnKind kind = ColumnKind::kExact;
  // Runs (--runs) that would tell more, where the verdict is inconclusive for want of them.
  std::optional<std::size_t> runs_needed;
};

// The columns of a table of values, and its row of one.
std::vector<Column> compared_columns();
void add_compared(const ComparedValue& value, Table& table);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_COMPARED_VALUE_H_
