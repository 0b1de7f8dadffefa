#include "experiments/verify_run.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace attnlab {
namespace {

enum VerifyTable { kVerifyTable, kEvidenceTable };

Cell text_or_null(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

}  // namespace

std::vector<Table> verify_tables() {
  using K = ColumnKind;
  std::vector<Column> rows{
      {"claim", "its name; `attnlab describe claim NAME` tells more", K::kParameter},
      {"measured", "what was found here", K::kDerived},
      {"expected", "verdict of the ledger", K::kExact},
      {"verdict", "holds, does not hold, imprecise or inconclusive, from what was measured",
       K::kDerived},
      {"kind", "counted, computed, timed, or a fact that is not measured", K::kExact},
      status_column(),
      {"reason", "why the claim does not simply hold, and under which condition it does",
       K::kDerived}};
  std::vector<Column> numbers{
      {"claim", "its name", K::kParameter},
      {"quantity", "what was counted, computed or timed", K::kParameter},
      {"value", "its value", K::kDerived},
      {"low", "lower end of its interval: 95 % of times, four standard errors of random rows",
       K::kDerived},
      {"high", "upper end of its interval", K::kDerived},
      {"unit", "its unit", K::kExact},
      {"how", "what else must be known of it", K::kExact}};
  Table evidence("evidence", "verify", std::move(numbers));
  evidence.is_detail = true;
  Table verify("verify", "verify", std::move(rows));
  verify.verdict = {.column = "verdict",
                    .expected = "expected",
                    .undecided = {std::string(verdict_name(ClaimVerdict::kInconclusive))},
                    .told = {"measured"}};
  return {std::move(verify), std::move(evidence)};
}

void write_findings(const Claim& claim, const Findings& findings, std::vector<Table>& tables) {
  const ClaimVerdict verdict = findings.verdict();
  const bool differs = verdict != claim.expected && verdict != ClaimVerdict::kInconclusive;
  tables[kVerifyTable]
      .add_row()
      .set("claim", claim.name)
      .set("measured", findings.measured())
      .set("expected", verdict_name(claim.expected))
      .set("verdict", verdict_name(verdict))
      .set("kind", claim_kind_name(claim.kind))
      .set("status", differs ? "failed" : "ok")
      .set("reason", text_or_null(findings.reason()));
  for (const Evidence& one : findings.evidence()) {
    Table::RowWriter row = tables[kEvidenceTable].add_row();
    row.set("claim", claim.name)
        .set("quantity", one.quantity)
        .set("value", one.value)
        .set("unit", text_or_null(one.unit))
        .set("how", text_or_null(one.how));
    if (one.interval) row.set("low", one.interval->low).set("high", one.interval->high);
  }
}

void summarise(std::vector<Table>& tables) {
  Table& table = tables[kVerifyTable];
  std::map<std::string, int> verdicts;
  int as_expected = 0, differ = 0, unmeasured = 0;
  for (const Row& row : table.rows) {
    const auto* verdict = std::get_if<std::string>(&table.at(row, "verdict"));
    if (verdict == nullptr) {
      ++unmeasured;
      continue;
    }
    ++verdicts[*verdict];
    as_expected += table.at(row, "verdict") == table.at(row, "expected") ? 1 : 0;
    differ += table.at(row, "status") == Cell(std::string("failed")) ? 1 : 0;
  }
  std::string text = fmt::format("{} claims:", table.rows.size());
  for (const auto& [verdict, count] : verdicts) text += fmt::format(" {} {},", count, verdict);
  text.back() = ';';
  text += fmt::format(" {} as the ledger says, {} otherwise", as_expected, differ);
  if (unmeasured > 0) text += fmt::format(", {} not measured", unmeasured);
  table.add_note(text + ". Times are processor time of one thread.");
}

}  // namespace attnlab
