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

double size_of(const ComparedValue& value) {
  return value.ratio && *value.ratio > 0 ? std::abs(std::log(*value.ratio)) : 0;
}

bool is_open_time(const ComparedValue& value) {
  return value.kind == ColumnKind::kTimed && value.verdict == ChangeVerdict::kInconclusive;
}

// The parameters of values without those that are the same in all of one table: "kernel=flash
// n=128" of "kernel=flash isa=avx2 dtype=f32 n=128".
class TellingParameters {
 public:
  explicit TellingParameters(const std::vector<const ComparedValue*>& values) {
    for (const ComparedValue* value : values) {
      ++rows_[value->table];
      for (const std::string& word : split(value->parameters, ' ')) {
        ++words_[{value->table, word}];
      }
    }
  }
  std::string of(const ComparedValue& value) const {
    std::vector<std::string> out;
    for (std::string& word : split(value.parameters, ' ')) {
      const bool is_shared = words_.at({value.table, word}) == rows_.at(value.table);
      if (!is_shared) out.push_back(std::move(word));
    }
    return out.empty() ? value.parameters : join(out, " ");
  }

 private:
  std::map<std::string, std::size_t> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> words_;
};

std::string ratio_text(const ComparedValue& value) {
  if (!value.ratio) return "";
  std::string out = fmt::format("{:.3f}", *value.ratio);
  if (value.ratio_low && value.ratio_high) {
    out += fmt::format(" [{:.3f}, {:.3f}]", *value.ratio_low, *value.ratio_high);
  }
  return out;
}

// What would decide the times that are open.
std::string advice(const std::vector<ComparedValue>& values) {
  std::size_t runs = 0, decided = 0, open = 0;
  std::string other;
  for (const ComparedValue& value : values) {
    if (!is_open_time(value)) continue;
    ++open;
    if (value.runs_needed) {
      ++decided;
      runs = std::max(runs, *value.runs_needed);
    } else {
      other = value.reason;
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

Table changes_table(const std::vector<ComparedValue>& values, std::string title) {
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
  std::vector<const ComparedValue*> shown;
  std::size_t counted = 0, measured = 0;
  for (const ComparedValue& value : values) {
    if (value.verdict != ChangeVerdict::kSame || value.kind == ColumnKind::kTimed) {
      shown.push_back(&value);
    } else {
      ++(value.kind == ColumnKind::kExact ? counted : measured);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const ComparedValue* a, const ComparedValue* b) {
    const std::size_t of_a = weight_of(a->verdict), of_b = weight_of(b->verdict);
    return of_a != of_b ? of_a < of_b : size_of(*a) > size_of(*b);
  });
  const TellingParameters telling(shown);
  std::size_t bytes = 0, rows = 0;
  for (; rows < shown.size() && bytes < kMostBytes; ++rows) {
    const ComparedValue& value = *shown[rows];
    const auto text_or_null = [](std::string text) {
      return text.empty() ? Cell() : Cell(std::move(text));
    };
    out.add_row()
        .set("table", value.table)
        .set("row", telling.of(value))
        .set("column", text_or_null(value.column))
        .set("base", text_or_null(value_text(value.base, value.unit)))
        .set("new", text_or_null(value_text(value.now, value.unit)))
        .set("ratio", text_or_null(ratio_text(value)))
        .set("verdict", choice_name(value.verdict))
        .set("reason", text_or_null(is_open_time(value) ? "" : value.reason));
    for (const Cell& cell : out.rows.back().cells) bytes += cell_text(cell).size() + kBytesBeside;
  }
  if (rows < shown.size()) {
    out.add_note(fmt::format("And {} more: see the table compare.", shown.size() - rows));
  }
  if (const std::string text = advice(values); !text.empty()) out.add_note(text);
  if (counted + measured > 0) {
    out.add_note(fmt::format("The same: {} counted and {} measured values.", counted, measured));
  }
  return out;
}

}  // namespace attnlab
