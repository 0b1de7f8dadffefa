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

// The finding of a row, or of a whole table, that only one result has.
Finding lone(Finding finding, bool is_old, std::string what) {
  finding.verdict = is_old ? ChangeVerdict::kMissing : ChangeVerdict::kExtra;
  finding.reason = std::move(what);
  return finding;
}

void compare_tables(const TablePair& tables, TimeComparison& times,
                    std::vector<Finding>& findings) {
  const bool has_base = tables.base != nullptr;
  if (!has_base || tables.now == nullptr) {
    Finding finding;
    finding.experiment = tables.any().experiment;
    finding.table = tables.any().name;
    findings.push_back(lone(std::move(finding), has_base,
                            fmt::format("the whole table, {} rows, is only in the {} result",
                                        tables.any().rows.size(), has_base ? "old" : "new")));
    return;
  }
  for (const RowPair& rows : tables.rows) {
    if (rows.now == nullptr) {
      findings.push_back(
          lone(finding_of(*tables.base, *rows.base), true, "the new result has no such row"));
    } else if (rows.base == nullptr) {
      findings.push_back(
          lone(finding_of(*tables.now, *rows.now), false, "the old result has no such row"));
    } else if (compare_status(tables, rows, findings)) {
      times.add(tables, rows, findings);
      compare_cells(tables, rows, findings);
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
  Table out("compare", "compare", finding_columns());
  out.is_detail = true;
  out.verdict = {.column = "verdict",
                 .failures = {std::string(choice_name(ChangeVerdict::kRegressed))},
                 .undecided = {std::string(choice_name(ChangeVerdict::kInconclusive)),
                               std::string(choice_name(ChangeVerdict::kMissing))},
                 .told = {"base", "new", "ratio", "p"},
                 .severity = "ratio"};
  for (const Finding& finding : findings) add_finding(finding, out);
  return out;
}

Comparison compare_results(const Result& base, const std::string& base_place, const Result& now,
                           const std::string& now_place, const CompareOptions& options) {
  check_values(base, base_place);
  check_values(now, now_place);
  Comparison out;
  TimeComparison times(options);
  for (const TablePair& tables : matched_tables(base, now, !options.relative_to.empty())) {
    compare_tables(tables, times, out.findings);
  }
  times.judge(out.findings);
  out.means = geometric_means(times, out.findings);
  for (const Finding& finding : out.findings)
    ++out.counts[static_cast<std::size_t>(finding.verdict)];
  return out;
}

}  // namespace attnlab
