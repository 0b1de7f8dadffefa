#include "compare/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "compare/cells.h"
#include "compare/samples.h"

namespace attnlab {
namespace {

constexpr double kLevel = 0.05;
constexpr std::uint64_t kSeed = 1;

const Column* timed_column(const Table& table) {
  for (const Column& column : table.columns) {
    if (column.kind == ColumnKind::kTimed) return &column;
  }
  return nullptr;
}

std::string group_of(const Table& table, const Row& row) {
  const int kernel = table.index_of("kernel");
  if (kernel >= 0) return cell_text(row.cells[static_cast<std::size_t>(kernel)]);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_parameter = table.columns[i].kind == ColumnKind::kParameter;
    const auto* text = std::get_if<std::string>(&row.cells[i]);
    if (is_parameter && text != nullptr) return *text;
  }
  return "";
}

// One measurement, compared with itself.
bool are_identical(const TimedPair& row) {
  return row.base.times == row.now.times && row.base.reference == row.now.reference;
}

// Why a change is open, and what would decide it.
std::string what_to_do(const Change& change, const TimedPair& row, bool in_pairs,
                       const std::optional<std::size_t>& needed) {
  const std::size_t least = std::min(row.base.times.size(), row.now.times.size());
  const std::size_t calls = std::min(pooled(row.base.times).size(), pooled(row.now.times).size());
  if (calls < kLeastSamples) {
    return fmt::format("{} times a side are too few: measure with --repeats 10", calls);
  }
  if (in_pairs && least < kLeastPairs) {
    return fmt::format("{} pairs are too few: give --runs {}", least, 2 * kLeastPairs);
  }
  if (!change.interval) {
    return "one process tells nothing of the next: measure with --runs 5, or with --pair";
  }
  if (!needed) return "too near the threshold to tell: no reasonable number of runs would";
  return fmt::format("more runs would tell: about --runs {}", *needed);
}

}  // namespace

ChangeVerdict verdict_of(const Change& change, double threshold) {
  if (!change.interval || !change.p) return ChangeVerdict::kInconclusive;
  const double limit = 1 + threshold;
  const auto [low, high] = *change.interval;
  if (*change.p < kLevel && low > limit) return ChangeVerdict::kRegressed;
  if (*change.p < kLevel && high < 1 / limit) return ChangeVerdict::kImproved;
  if (low >= 1 / limit && high <= limit) return ChangeVerdict::kSame;
  return ChangeVerdict::kInconclusive;
}

void TimeComparison::add(const TablePair& tables, const RowPair& rows,
                         std::vector<ComparedValue>& values) {
  const Column* column = timed_column(*tables.base);
  if (column == nullptr || rows.base->time_samples.empty()) return;
  has_timed_ = true;
  const Column* const there = timed_column(*tables.now);
  if (there != nullptr && (there->name != column->name || there->unit != column->unit)) {
    throw UserError(
        "table " + tables.base->name,
        fmt::format("times are \"{}\" in \"{}\" in the old result, \"{}\" in \"{}\" in the new one",
                    column->name, column->unit, there->name, there->unit),
        "compare results of one version of attnlab");
  }
  ComparedValue value = value_of(*tables.base, *rows.base);
  value.column = column->name;
  value.unit = "s";
  value.kind = ColumnKind::kTimed;
  const auto base = timed_side(*tables.base, *rows.base, options_.relative_to);
  const auto now = timed_side(*tables.now, *rows.now, options_.relative_to);
  TimedPair timed{values.size(), base.value_or(TimedSide{}), now.value_or(TimedSide{}),
                  thresholds_.of(*tables.base, *rows.base, column->name),
                  group_of(*tables.base, *rows.base)};
  if (timed.base.times.empty() || timed.now.times.empty()) {
    const bool is_missing = rows.now->time_samples.empty();
    value.verdict = is_missing ? ChangeVerdict::kMissing : ChangeVerdict::kInconclusive;
    value.reason = is_missing ? "the new row has no time_samples"
                              : "the same processes did not time " + options_.relative_to +
                                    " at these parameters";
    values.push_back(std::move(value));
    return;
  }
  value.base = median(pooled(timed.base.times));
  value.now = median(pooled(timed.now.times));
  const bool is_reference = !options_.relative_to.empty() && timed.group == options_.relative_to &&
                            tables.base->index_of("kernel") >= 0;
  if (is_reference) {
    value.reason = "the reference itself";
  } else {
    rows_.push_back(std::move(timed));
  }
  values.push_back(std::move(value));
}

Change TimeComparison::change_of(const TimedSide& base, const TimedSide& now,
                                 double threshold) const {
  const bool are_paired = options_.in_pairs && base.times.size() == now.times.size();
  return are_paired ? paired_change(base, now, threshold)
                    : independent_change(base, now, threshold, kSeed);
}

void TimeComparison::judge(std::vector<ComparedValue>& values) {
  thresholds_.check_all_used();
  if (!options_.relative_to.empty() && has_timed_ && rows_.empty()) {
    throw UserError("--relative-to",
                    "the results have no times of " + printable(options_.relative_to) +
                        " beside those of another kernel",
                    "name a kernel that both timed, such as naive");
  }
  std::vector<Change> changes;
  std::vector<double> p;
  for (const TimedPair& row : rows_) {
    changes.push_back(are_identical(row) ? Change() : change_of(row.base, row.now, row.threshold));
    if (changes.back().p) p.push_back(*changes.back().p);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const TimedPair& row = rows_[i];
    Change& change = changes[i];
    if (change.p) change.p = adjusted[next++];
    ComparedValue& value = values[row.value];
    value.ratio = change.ratio;
    value.p = change.p;
    if (change.interval) {
      value.ratio_low = change.interval->low;
      value.ratio_high = change.interval->high;
    }
    const bool has_few =
        std::min(pooled(row.base.times).size(), pooled(row.now.times).size()) < kLeastSamples;
    value.verdict = are_identical(row) ? ChangeVerdict::kSame
                    : has_few          ? ChangeVerdict::kInconclusive
                                       : verdict_of(change, row.threshold);
    if (are_identical(row)) value.reason = "the very same samples";
    if (value.verdict == ChangeVerdict::kInconclusive) {
      const std::size_t least = std::min(row.base.times.size(), row.now.times.size());
      value.runs_needed = processes_to_decide(change, row.threshold, least);
      value.reason = what_to_do(change, row, options_.in_pairs, value.runs_needed);
    }
  }
}

}  // namespace attnlab
