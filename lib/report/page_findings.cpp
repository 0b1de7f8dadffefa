#include "report/page_findings.h"

#include <algorithm>

#include "base/text.h"
#include "report/cell_text.h"
#include "report/expectation.h"
#include "report/html_text.h"
#include "report/page_grid.h"
#include "report/page_ids.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostOfAKind =
    12;  // statements of one table or experiment; then how many more
constexpr std::size_t kMostLetters = 300;

bool is_word(const Table& table, const Row& row, std::string_view column, std::string_view word) {
  return table.index_of(column) >= 0 && table.at(row, column) == Cell(std::string(word));
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
  explicit Summary(const Page& page) : page_(page), language_(page.language) {}

  std::string html() {
    for (std::size_t r = 0; r < page_.results.size(); ++r) add_result(r);
    std::string out = "<section id=\"summary\" class=\"summary\">\n";
    out += text_element("h2", "", page_text(language_, "in plain words"));
    out += list("partial", partial_);
    out += list("reproduced", met_);
    if (failed_.empty()) {
      out += text_element("p", "good", page_text(language_, "nothing failed"));
    } else {
      out += list("failed", failed_);
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
      const char* key = result.status == Status::kInterrupted ? "interrupted" : "broken";
      partial_.push_back(link_to(result_id(r), page_text(language_, key, result.name,
                                                         result.points.done, result.points.total)));
    }
    add_expectations(r);
    for (std::size_t x = 0; x < one.experiments.size(); ++x) add_unmet(r, x);
    for (std::size_t t = 0; t < result.tables.size(); ++t) add_bad_rows(r, t);
    for (const PageFinding& finding : one.surprises) {
      const std::string table = table_id(r, finding.table);
      surprises_.push_back(link_to(finding.row ? place_of_row(table, *finding.row) : table,
                                   result.name + ": " + finding.text));
    }
  }

  void add_expectations(std::size_t r) {
    const Result& result = page_.results[r].result;
    const auto count = [&](Verdict verdict) {
      return std::count_if(result.expectations.begin(), result.expectations.end(),
                           [&](const Expectation& one) { return one.verdict == verdict; });
    };
    const auto met = count(Verdict::kPass), open = count(Verdict::kNotChecked);
    const auto all = static_cast<std::ptrdiff_t>(result.expectations.size());
    std::string text = all == 0     ? page_text(language_, "none expected", result.name)
                       : met == all ? page_text(language_, "all met", result.name, all)
                                    : page_text(language_, "some met", result.name, met, all);
    if (open > 0) text += " " + page_text(language_, "not checked", open);
    met_.push_back(link_to(result_id(r), text));
  }

  void add_unmet(std::size_t r, std::size_t x) {
    const PageResult& one = page_.results[r];
    const std::vector<std::size_t> own = expectations_of(one, one.experiments[x]);
    const std::string grid = expectations_id(r, x);
    std::size_t count = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Expectation& expected = one.result.expectations[own[i]];
      if (expected.verdict != Verdict::kFail || ++count > kMostOfAKind) continue;
      const std::string row = selector_text(expected.row);
      failed_.push_back(
          link_to(place_of_row(grid, i),
                  page_text(language_, "not met", one.result.name, expected.column,
                            expected.table + (row.empty() ? "" : " " + row),
                            expected_text(expected.measured), expected_text(expected.expected))));
    }
    add_more(count, grid);
  }

  void add_bad_rows(std::size_t r, std::size_t t) {
    const Result& result = page_.results[r].result;
    const Table& table = result.tables[t];
    const std::vector<std::size_t> rows = bad_rows(table);
    for (std::size_t i = 0; i < std::min(rows.size(), kMostOfAKind); ++i) {
      const Row& row = table.rows[rows[i]];
      const char* key = is_word(table, row, "verdict", "regressed") ? "regressed" : "rows failed";
      std::string what = row_text(table, row);
      if (table.index_of("reason") >= 0) {
        const std::string reason = cell_text(table.at(row, "reason"));
        if (!reason.empty()) what += ": " + reason;
      }
      failed_.push_back(link_to(
          place_of_row(table_id(r, t), rows[i]),
          printable(page_text(language_, key, result.name, table.name, what), kMostLetters)));
    }
    add_more(rows.size(), table_id(r, t));
  }

  void add_more(std::size_t count, const std::string& place) {
    if (count <= kMostOfAKind) return;
    failed_.push_back(link_to(place, page_text(language_, "and more", count - kMostOfAKind)));
  }

  const Page& page_;
  const Language language_;
  Lines partial_, met_, failed_, surprises_;
};

}  // namespace

std::vector<std::size_t> expectations_of(const PageResult& result,
                                         const PageExperiment& experiment) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < result.result.expectations.size(); ++i) {
    for (std::size_t t = experiment.first_table; t < experiment.end_table; ++t) {
      if (result.result.tables[t].name == result.result.expectations[i].table) out.push_back(i);
    }
  }
  return out;
}

std::vector<std::size_t> bad_rows(const Table& table) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (is_word(table, table.rows[i], "status", "failed") ||
        is_word(table, table.rows[i], "verdict", "regressed")) {
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
  for (const std::size_t row : bad_rows(result.result.tables[table])) add(row);
  for (const PageFinding& finding : result.surprises) {
    if (finding.table == table && finding.row) add(*finding.row);
  }
  return out;
}

std::string summary_html(const Page& page) { return Summary(page).html(); }

}  // namespace attnlab
