#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/expectation.h"
#include "report/json_text.h"
#include "report/unique_names.h"

namespace attnlab {
namespace {

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The cell of a column that the table may lack; null then.
Cell cell_of(const Table& table, const Row& row, const std::string& column) {
  return table.index_of(column) < 0 ? Cell() : table.at(row, column);
}

// The parameters of a row as the selector of an expectation has them: "d=4 law=normal".
std::string row_text(const Table& table, const Row& row) {
  Json place = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_set = !std::holds_alternative<std::monostate>(row.cells[i]);
    if (table.columns[i].kind == ColumnKind::kParameter && is_set) {
      place[table.columns[i].name] = cell_json(row.cells[i]);
    }
  }
  return selector_text(place);
}

// "d=4 law=normal: variance"
std::string name_of_finding(const std::string& row, const std::string& column) {
  return row + (row.empty() ? "" : ": ") + column;
}

std::string short_text(const Cell& cell) {
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr ? fmt::format("{:.4g}", *real) : cell_text(cell);
}

// "ratio 1.18 (1.12 to 1.25)", with the unit and the interval that the column has.
std::string told_text(const Table& table, const Row& row, const std::string& name) {
  const int index = table.index_of(name);
  if (index < 0) return "";
  const Column& column = table.columns[static_cast<std::size_t>(index)];
  const Cell& cell = row.cells[static_cast<std::size_t>(index)];
  if (std::holds_alternative<std::monostate>(cell)) return "";
  std::string out = name + " " + short_text(cell);
  const Cell low = cell_of(table, row, column.interval_low);
  const Cell high = cell_of(table, row, column.interval_high);
  if (std::holds_alternative<double>(low) && std::holds_alternative<double>(high)) {
    out += fmt::format(" ({} to {})", short_text(low), short_text(high));
  }
  return out + (column.unit.empty() ? "" : " " + column.unit);
}

// "regressed: base 1, new 1.18, ratio 1.18; REASON"
std::string verdict_message(const Table& table, const Row& row, const std::string& word) {
  const TableVerdict& verdict = *table.verdict;
  std::string out = word;
  const std::string expected = cell_text(cell_of(table, row, verdict.expected));
  if (!expected.empty()) out += ", expected " + expected;
  std::vector<std::string> told;
  for (const std::string& column : verdict.told) {
    std::string text = told_text(table, row, column);
    if (!text.empty()) told.push_back(std::move(text));
  }
  if (!told.empty()) out += ": " + join(told, ", ");
  const std::string reason = cell_text(cell_of(table, row, "reason"));
  return out + (reason.empty() ? "" : "; " + reason);
}

double severity_of(const Table& table, const Row& row) {
  const Cell cell = cell_of(table, row, table.verdict->severity);
  const auto* ratio = std::get_if<double>(&cell);
  return ratio != nullptr && *ratio > 0 ? std::abs(std::log(*ratio)) : 0;
}

Outcome outcome_of(const TableVerdict& verdict, const std::string& word, const Cell& expected) {
  if (holds(verdict.undecided, word)) return Outcome::kSkipped;
  if (holds(verdict.failures, word)) return Outcome::kFailed;
  const auto* must = std::get_if<std::string>(&expected);
  return must != nullptr && *must != word ? Outcome::kFailed : Outcome::kPassed;
}

// A row without a word that counts: it failed, or nothing was judged.
Finding bare_row(const Table& table, const Row& row, bool is_failed) {
  const std::string reason = cell_text(cell_of(table, row, "reason"));
  return {is_failed ? Outcome::kError : Outcome::kSkipped, "status",
          name_of_finding(row_text(table, row), "status"),
          (is_failed ? "the row failed" : "nothing was judged") +
              (reason.empty() ? "" : ": " + reason)};
}

void add_row(const Table& table, const Row& row, std::vector<Finding>& out) {
  const bool is_failed = cell_of(table, row, "status") == Cell(std::string("failed"));
  const Cell cell = table.verdict ? cell_of(table, row, table.verdict->column) : Cell();
  const auto* word = std::get_if<std::string>(&cell);
  if (word == nullptr) {
    if (is_failed || table.verdict) out.push_back(bare_row(table, row, is_failed));
    return;
  }
  const TableVerdict& verdict = *table.verdict;
  const Outcome outcome = outcome_of(verdict, *word, cell_of(table, row, verdict.expected));
  if (outcome == Outcome::kPassed && is_failed) {  // for another reason than its word
    out.push_back(bare_row(table, row, true));
    return;
  }
  out.push_back({outcome, "verdict", name_of_finding(row_text(table, row), verdict.column),
                 outcome == Outcome::kPassed ? "" : verdict_message(table, row, *word),
                 severity_of(table, row)});
}

Finding finding_of(const Expectation& one) {
  Finding out{Outcome::kPassed, "expectation", name_of_finding(selector_text(one.row), one.column),
              ""};
  if (one.verdict == Verdict::kFail) {
    out.outcome = Outcome::kFailed;
    out.message = fmt::format("expected {}, measured {}", expected_text(one.expected),
                              expected_text(one.measured));
    if (!one.reason.empty()) out.message += ": " + one.reason;
  } else if (one.verdict == Verdict::kNotChecked) {
    out.outcome = Outcome::kSkipped;
    out.message = "not checked: " + one.reason;
  }
  return out;
}

// Makes the texts valid UTF-8 and the names different.
void settle(std::vector<Finding>& findings) {
  UniqueNames names;
  for (Finding& finding : findings) {
    finding.name = names.make(valid_text(finding.name));
    finding.message = valid_text(finding.message);
  }
}

}  // namespace

std::vector<TableFindings> findings_of(const Result& result) {
  std::vector<TableFindings> out;
  for (const Table& table : result.tables) {
    TableFindings of_table{&table, {}};
    for (const Expectation& one : result.expectations) {
      if (one.table == table.name) of_table.findings.push_back(finding_of(one));
    }
    for (const Row& row : table.rows) add_row(table, row, of_table.findings);
    if (of_table.findings.empty()) continue;
    settle(of_table.findings);
    out.push_back(std::move(of_table));
  }
  return out;
}

std::size_t count_of(const std::vector<Finding>& findings, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.outcome == outcome; }));
}

}  // namespace attnlab
