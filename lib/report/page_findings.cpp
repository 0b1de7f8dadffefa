#include "report/page_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "report/cell_text.h"
#include "report/expectation.h"
#include "report/html_text.h"
#include "report/page_expectations.h"
#include "report/page_grid.h"
#include "report/page_ids.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostFailures = 10;  // statements of one result; then how many more
constexpr std::size_t kMostLetters = 300;

bool is_word(const Table& table, const Row& row, std::string_view column, std::string_view word) {
  return table.index_of(column) >= 0 && table.at(row, column) == Cell(std::string(word));
}

// Whether a comparison or a claim judged any row.
bool has_verdicts(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    return table.index_of("verdict") >= 0 &&
           std::holds_alternative<std::string>(table.at(row, "verdict"));
  });
}

// A row by its parameters: "kernel=flash n=1024".
std::string row_text(const Table& table, const Row& row) {
  Json parameters = Json::object();
  for (std::size_t c = 0; c < table.columns.size() && parameters.size() < 4; ++c) {
    const bool is_there = !std::holds_alternative<std::monostate>(row.cells[c]);
    if (table.columns[c].kind == ColumnKind::kParameter && is_there) {
      parameters[table.columns[c].name] = cell_json(row.cells[c]);
    }
  }
  return selector_text(parameters);
}

std::string place_of_row(const std::string& table, std::size_t row) {
  return row < kPlainRows ? row_id(table, row) : table;
}

class Summary {
 public:
  explicit Summary(const Page& page)
      : page_(page), language_(page.language), names_(shown_names(page)) {}

  std::string html() {
    for (std::size_t r = 0; r < page_.results.size(); ++r) add_result(r);
    std::string out = "<section id=\"summary\" class=\"summary\">\n";
    out += text_element("h2", "", page_text(language_, "in plain words"));
    out += list("partial", partial_);
    out += list("reproduced", met_);
    out += list("failed", failed_);
    if (failed_.empty() && !is_checked_) {
      out += text_element("p", "warn", page_text(language_, "nothing checked"));
    } else if (failed_.empty() && is_whole_) {
      out += text_element("p", "good", page_text(language_, "nothing failed"));
    }
    out += list("surprising", surprises_);
    return out + "</section>\n";
  }

 private:
  using Lines = std::vector<std::string>;

  std::string list(std::string_view heading, const Lines& lines) const {
    if (lines.empty()) return "";
    std::string items;
    for (const std::string& line : lines) items += markup_element("li", "", line);
    return text_element("h3", "", page_text(language_, heading)) + "<ul>\n" + items + "</ul>\n";
  }

  void add_result(std::size_t r) {
    const PageResult& one = page_.results[r];
    const Result& result = one.result;
    if (result.status != Status::kComplete) {
      is_whole_ = false;
      const char* key = result.status == Status::kInterrupted ? "interrupted" : "broken";
      partial_.push_back(link_to(result_id(r), page_text(language_, key, names_[r],
                                                         result.points.done, result.points.total)));
    }
    add_expectations(r);
    failures_ = 0;
    add_unmet(r, expectations_without_table(result), homeless_expectations_id(r));
    for (std::size_t x = 0; x < one.experiments.size(); ++x) {
      add_unmet(r, expectations_of(one, one.experiments[x]), expectations_id(r, x));
    }
    for (std::size_t t = 0; t < result.tables.size(); ++t) {
      add_counts(r, t);
      add_bad_rows(r, t);
    }
    if (failures_ > kMostFailures) {
      failed_.push_back(
          link_to(result_id(r), page_text(language_, "and more", failures_ - kMostFailures)));
    }
    for (const PageFinding& finding : one.surprises) {
      const std::string table = table_id(r, finding.table);
      surprises_.push_back(link_to(finding.row ? place_of_row(table, *finding.row) : table,
                                   names_[r] + ": " + finding.text));
    }
  }

  void add_expectations(std::size_t r) {
    const Result& result = page_.results[r].result;
    const auto count = [&](Verdict verdict) {
      return std::count_if(result.expectations.begin(), result.expectations.end(),
                           [&](const Expectation& one) { return one.verdict == verdict; });
    };
    const auto met = count(Verdict::kPass), open = count(Verdict::kNotChecked);
    is_checked_ = is_checked_ || met > 0;
    const auto all = static_cast<std::ptrdiff_t>(result.expectations.size());
    std::string text = all == 0     ? page_text(language_, "none expected", names_[r])
                       : met == all ? page_text(language_, "all met", names_[r], all)
                                    : page_text(language_, "some met", names_[r], met, all);
    if (open > 0) text += " " + page_text(language_, "not checked", open);
    met_.push_back(link_to(result_id(r), text));
  }

  // One more failure of a result; the first few are told.
  void add_failure(const std::string& place, const std::string& text) {
    if (++failures_ <= kMostFailures) {
      failed_.push_back(link_to(place, printable(text, kMostLetters)));
    }
  }

  void add_unmet(std::size_t r, const std::vector<std::size_t>& chosen, const std::string& grid) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Expectation& expected = page_.results[r].result.expectations[chosen[i]];
      if (expected.verdict != Verdict::kFail) continue;
      const std::string row = selector_text(expected.row);
      const std::string place = expected.table + (row.empty() ? "" : " " + row);
      const std::string wanted = local_value(expected.expected, language_);
      std::string text =
          expected.measured.is_null()
              ? page_text(language_, "not there", names_[r], expected.column, place, wanted)
              : page_text(language_, "not met", names_[r], expected.column, place,
                          local_value(expected.measured, language_), wanted);
      if (!expected.reason.empty()) text += ": " + expected.reason;
      add_failure(place_of_row(grid, i), text);
    }
  }

  // How many rows of a table have no value, by what became of them.
  void add_counts(std::size_t r, std::size_t t) {
    const Table& table = page_.results[r].result.tables[t];
    for (const char* word : {"failed", "refused", "skipped"}) {
      const auto count = std::count_if(table.rows.begin(), table.rows.end(), [&](const Row& row) {
        return is_word(table, row, "status", word);
      });
      if (count == 0) continue;
      partial_.push_back(
          link_to(table_id(r, t), page_text(language_, fmt::format("rows {}", word), names_[r],
                                            table.name, count, table.rows.size())));
    }
  }

  void add_bad_rows(std::size_t r, std::size_t t) {
    const Result& result = page_.results[r].result;
    const Table& table = result.tables[t];
    is_checked_ = is_checked_ || has_verdicts(table);
    for (const std::size_t index : bad_rows(result, t)) {
      const Row& row = table.rows[index];
      const char* key = is_word(table, row, "verdict", "regressed") ? "regressed" : "row failed";
      std::string what = row_text(table, row);
      if (table.index_of("reason") >= 0) {
        const std::string reason = cell_text(table.at(row, "reason"));
        if (!reason.empty()) what += ": " + reason;
      }
      add_failure(place_of_row(table_id(r, t), index),
                  page_text(language_, key, names_[r], table.name, what));
    }
  }

  const Page& page_;
  const Language language_;
  const std::vector<std::string> names_;  // of the results
  Lines partial_, met_, failed_, surprises_;
  std::size_t failures_ = 0;  // of the result at hand
  bool is_checked_ = false;   // whether anything was: an expectation met, a comparison's row
  bool is_whole_ = true;      // whether every run came to its end
};

}  // namespace

std::vector<std::string> shown_names(const Page& page) {
  std::map<std::string, std::size_t> counts;
  for (const PageResult& one : page.results) ++counts[one.result.name];
  std::vector<std::string> out;
  for (const PageResult& one : page.results) {
    const std::string& name = one.result.name;
    out.push_back(counts[name] > 1 ? fmt::format("{} ({})", name, printable(one.place)) : name);
  }
  return out;
}

std::vector<std::size_t> bad_rows(const Result& result, std::size_t index) {
  const Table& table = result.tables[index];
  const bool is_told_twice =
      table.experiment == "compare" && table.base_name == "compare" &&
      std::any_of(result.tables.begin(), result.tables.end(), [](const Table& other) {
        return other.experiment == "compare" && other.base_name == "changes" && !other.rows.empty();
      });
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (is_word(table, table.rows[i], "status", "failed") ||
        (!is_told_twice && is_word(table, table.rows[i], "verdict", "regressed"))) {
      out.push_back(i);
    }
  }
  return out;
}

std::map<std::size_t, std::string> linked_rows(const PageResult& result, std::size_t table,
                                               const std::string& table_id) {
  std::map<std::size_t, std::string> out;
  const auto add = [&](std::size_t row) {
    if (row < kPlainRows) out[row] = row_id(table_id, row);
  };
  for (const std::size_t row : bad_rows(result.result, table)) add(row);
  for (const PageFinding& finding : result.surprises) {
    if (finding.table == table && finding.row) add(*finding.row);
  }
  return out;
}

std::string summary_html(const Page& page) { return Summary(page).html(); }

}  // namespace attnlab
