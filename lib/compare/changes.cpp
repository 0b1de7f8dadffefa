#include "compare/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/choice.h"
#include "base/text.h"
#include "report/cell_text.h"

namespace attnlab {
namespace {

// A comment on GitHub holds 65,536 characters; escaped ones take two, and other tables follow.
constexpr std::size_t kMostBytes = 24000, kBytesBeside = 3;

constexpr ChangeVerdict kByWeight[] = {ChangeVerdict::kRegressed,    ChangeVerdict::kMissing,
                                       ChangeVerdict::kInconclusive, ChangeVerdict::kImproved,
                                       ChangeVerdict::kExtra,        ChangeVerdict::kSame};

std::size_t weight_of(ChangeVerdict verdict) {
  return static_cast<std::size_t>(std::find(std::begin(kByWeight), std::end(kByWeight), verdict) -
                                  std::begin(kByWeight));
}

double size_of(const Finding& finding) {
  return finding.ratio && *finding.ratio > 0 ? std::abs(std::log(*finding.ratio)) : 0;
}

bool is_open_time(const Finding& finding) {
  return finding.kind == ColumnKind::kTimed && finding.verdict == ChangeVerdict::kInconclusive;
}

// The parameters of findings without those that are the same in all of one table: "kernel=flash
// n=128" of "kernel=flash isa=avx2 dtype=f32 n=128".
class TellingParameters {
 public:
  explicit TellingParameters(const std::vector<const Finding*>& findings) {
    for (const Finding* finding : findings) {
      ++rows_[finding->table];
      for (const std::string& word : split(finding->parameters, ' ')) {
        ++words_[{finding->table, word}];
      }
    }
  }
  std::string of(const Finding& finding) const {
    std::vector<std::string> out;
    for (std::string& word : split(finding.parameters, ' ')) {
      const bool is_shared = words_.at({finding.table, word}) == rows_.at(finding.table);
      if (!is_shared) out.push_back(std::move(word));
    }
    return out.empty() ? finding.parameters : join(out, " ");
  }

 private:
  std::map<std::string, std::size_t> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> words_;
};

std::string ratio_text(const Finding& finding) {
  if (!finding.ratio) return "";
  std::string out = fmt::format("{:.3f}", *finding.ratio);
  if (finding.ratio_low && finding.ratio_high) {
    out += fmt::format(" [{:.3f}, {:.3f}]", *finding.ratio_low, *finding.ratio_high);
  }
  return out;
}

// What would decide the times that are open.
std::string advice(const std::vector<Finding>& findings) {
  std::size_t runs = 0, decided = 0, open = 0;
  std::string other;
  for (const Finding& finding : findings) {
    if (!is_open_time(finding)) continue;
    ++open;
    if (finding.runs_needed) {
      ++decided;
      runs = std::max(runs, *finding.runs_needed);
    } else {
      other = finding.reason;
    }
  }
  std::string out;
  if (decided > 0) {
    out =
        fmt::format("Inconclusive: about --runs {} would tell for {} of {}.", runs, decided, open);
  }
  if (!other.empty()) {
    out += fmt::format("{}{}", out.empty() ? "Inconclusive: " : " For others: ", other) + ".";
  }
  return out;
}

}  // namespace

std::span<const ChangeVerdict> verdicts_by_weight() { return kByWeight; }

Table changes_table(const std::vector<Finding>& findings, std::string title) {
  using K = ColumnKind;
  Table out("changes", "compare",
            {{"table", "that the row is in", K::kParameter},
             {"row", "the parameters that find it", K::kParameter},
             {"column", "that is compared; none: the whole row", K::kParameter},
             {"base", "value of the old result; of times the median", K::kDerived},
             {"new", "value of the new result; of times the median", K::kDerived},
             {"ratio", "new / base, of times with its 95 % interval", K::kDerived},
             {"verdict", "same, improved, regressed, inconclusive, missing or extra", K::kDerived},
             {"reason", "what the verdict rests on", K::kDerived}});
  out.title = std::move(title);
  std::vector<const Finding*> shown;
  std::size_t counted = 0, measured = 0;
  for (const Finding& finding : findings) {
    if (finding.verdict != ChangeVerdict::kSame || finding.kind == ColumnKind::kTimed) {
      shown.push_back(&finding);
    } else {
      ++(finding.kind == ColumnKind::kExact ? counted : measured);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const Finding* a, const Finding* b) {
    const std::size_t of_a = weight_of(a->verdict), of_b = weight_of(b->verdict);
    return of_a != of_b ? of_a < of_b : size_of(*a) > size_of(*b);
  });
  const TellingParameters telling(shown);
  std::size_t bytes = 0, rows = 0;
  for (; rows < shown.size() && bytes < kMostBytes; ++rows) {
    const Finding& finding = *shown[rows];
    const auto text_or_null = [](std::string text) {
      return text.empty() ? Cell() : Cell(std::move(text));
    };
    out.add_row()
        .set("table", finding.table)
        .set("row", telling.of(finding))
        .set("column", text_or_null(finding.column))
        .set("base", text_or_null(value_text(finding.base, finding.unit)))
        .set("new", text_or_null(value_text(finding.now, finding.unit)))
        .set("ratio", text_or_null(ratio_text(finding)))
        .set("verdict", choice_name(finding.verdict))
        .set("reason", text_or_null(is_open_time(finding) ? "" : finding.reason));
    for (const Cell& cell : out.rows.back().cells) bytes += cell_text(cell).size() + kBytesBeside;
  }
  if (rows < shown.size()) {
    out.add_note(fmt::format("And {} more: see the table compare.", shown.size() - rows));
  }
  if (const std::string text = advice(findings); !text.empty()) out.add_note(text);
  if (counted + measured > 0) {
    out.add_note(fmt::format("The same: {} counted and {} measured values.", counted, measured));
  }
  return out;
}

}  // namespace attnlab
