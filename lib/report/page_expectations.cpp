#include "report/page_expectations.h"

#include <fmt/format.h>

#include <iterator>

#include "report/expectation.h"
#include "report/html_text.h"
#include "report/page_grid.h"
#include "report/page_ids.h"
#include "report/page_text.h"

namespace attnlab {

std::vector<std::size_t> expectations_of(const PageResult& result,
                                         const PageExperiment& experiment) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < result.result.expectations.size(); ++i) {
    for (std::size_t t = experiment.first_table; t < experiment.end_table; ++t) {
      if (result.result.tables[t].name == result.result.expectations[i].table) {
        out.push_back(i);
        break;
      }
    }
  }
  return out;
}

std::vector<std::size_t> expectations_without_table(const Result& result) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < result.expectations.size(); ++i) {
    if (result.find(result.expectations[i].table) == nullptr) out.push_back(i);
  }
  return out;
}

std::string local_value(const Json& value, Language language) {
  if (value.is_null()) return std::string(page_text(language, "no value"));
  const auto number = [&](const char* key) { return expected_text(value[key]); };
  const auto has = [&](const char* key) {
    return value.is_object() && value.contains(key) && value[key].is_number();
  };
  if (has("min") && has("max")) return page_text(language, "range", number("min"), number("max"));
  if (has("value") && has("rel")) {
    return page_text(language, "relative", number("value"), number("rel"));
  }
  return expected_text(value);
}

std::string expectations_html(const Result& result, const std::vector<std::size_t>& chosen,
                              const std::string& first_table, const std::string& id,
                              Language language) {
  if (chosen.empty()) return "";
  PageGrid grid{.id = id, .columns = {}, .row_ids = {}};
  for (const char* key : {"row", "column", "expected", "measured", "verdict"}) {
    grid.columns.push_back({.name = std::string(page_text(language, key))});
  }
  std::size_t met = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Expectation& expected = result.expectations[chosen[i]];
    const std::string row = selector_text(expected.row);
    const bool is_met = expected.verdict == Verdict::kPass;
    const bool is_open = expected.verdict == Verdict::kNotChecked;
    met += is_met ? 1 : 0;
    std::string verdict(page_text(language, is_met ? "pass" : is_open ? "unchecked" : "fail"));
    if (!expected.reason.empty()) verdict += ": " + expected.reason;
    const std::string cells[] = {
        expected.table == first_table ? row : expected.table + (row.empty() ? "" : ": " + row),
        expected.column, local_value(expected.expected, language),
        local_value(expected.measured, language), verdict};
    for (std::size_t c = 0; c < std::size(cells); ++c) {
      const bool is_verdict = c + 1 == std::size(cells);
      grid.columns[c].cells.push_back(cells[c]);
      grid.columns[c].classes.emplace_back(!is_verdict ? ""
                                           : is_met    ? "good"
                                           : is_open   ? "warn"
                                                       : "bad");
    }
    if (!is_met && i < kPlainRows) grid.row_ids[i] = row_id(grid.id, i);
  }
  return fmt::format(
      "<details class=\"print\"{}>\n<summary><h4 id=\"{}\">{}</h4></summary>\n{}</details>\n",
      chosen.size() <= kOpenRows ? " open" : "", grid.id,
      html_text(page_text(language, "expectations", met, chosen.size())),
      grid_html(grid, language));
}

}  // namespace attnlab
