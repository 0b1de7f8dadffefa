// JUnit's XML, as continuous integration reads it: a suite a table, a test case an expectation; a
// row that failed is a test case with an error. The dialect is the one that the Jenkins, GitLab and
// GitHub readers share.
#include <fmt/format.h>

#include <vector>

#include "report/expectation.h"
#include "report/format.h"
#include "report/json_text.h"

namespace attnlab {
namespace {

// Characters that XML 1.0 cannot hold become U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n') {
      out += "&#10;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
      out += "\xEF\xBF\xBD";
    } else {
      out += c;
    }
  }
  return out;
}

// The text with U+FFFD for what is no UTF-8 in it.
std::string text_of(const std::string& text) {
  return Json::parse(plain_json(Json(text))).get<std::string>();
}

struct Suite {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;

  void open(const Table& table, const std::string& name) {
    ++tests;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(text_of(table.name)),
                         escaped(name));
  }
  void close(const char* element, const std::string& message) {
    cases +=
        fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n", element, escaped(message));
  }
};

void add_expectation(Suite& suite, const Table& table, const Expectation& one) {
  const std::string row = text_of(selector_text(one.row));
  suite.open(table, row + (row.empty() ? "" : ": ") + one.column);
  const std::string found = fmt::format("expected {}, measured {}", expected_text(one.expected),
                                        expected_text(one.measured));
  const std::string message = one.reason.empty() ? found : found + ": " + one.reason;
  switch (one.verdict) {
    case Verdict::kPass:
      suite.cases += "/>\n";
      break;
    case Verdict::kFail:
      ++suite.failures;
      suite.close("failure", message);
      break;
    case Verdict::kNotChecked:
      ++suite.skipped;
      suite.close("skipped", "not checked: " + one.reason);
      break;
  }
}

void add_failed_row(Suite& suite, const Table& table, const Row& row) {
  Json place = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].kind == ColumnKind::kParameter) {
      place[table.columns[i].name] = cell_json(row.cells[i]);
    }
  }
  ++suite.errors;
  suite.open(table, text_of(selector_text(place)) + ": status");
  const bool has_reason = table.index_of("reason") >= 0;
  suite.close("error",
              "the row failed" + (has_reason ? ": " + cell_text(table.at(row, "reason")) : ""));
}

}  // namespace

std::string print_junit(const Result& result, const PrintOptions&) {
  Suite all;
  std::string suites;
  for (const Table& table : result.tables) {
    Suite suite;
    for (const Expectation& one : result.expectations) {
      if (one.table == table.name) add_expectation(suite, table, one);
    }
    if (table.index_of("status") >= 0) {
      for (const Row& row : table.rows) {
        if (table.at(row, "status") == Cell(std::string("failed"))) {
          add_failed_row(suite, table, row);
        }
      }
    }
    if (suite.tests == 0) continue;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}"
        "  </testsuite>\n",
        escaped(text_of(table.title.empty() ? table.name : table.name + ": " + table.title)),
        suite.tests, suite.failures, suite.errors, suite.skipped, suite.cases);
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
  }
  const Json duration = result.provenance.value("duration", Json());
  const std::string time =
      duration.is_number() ? fmt::format(" time=\"{:.3f}\"", duration.get<double>()) : "";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\"{}>\n{}</testsuites>\n",
      escaped(text_of(result.name)), all.tests, all.failures, all.errors, all.skipped, time,
      suites);
}

}  // namespace attnlab
