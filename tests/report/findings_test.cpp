#include "report/findings.h"

#include <cmath>

#include "base/text.h"
#include "report/format.h"
#include "report/unique_names.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

// A comparison of two results, as the command `compare` makes it: a row a case, its word a verdict.
Table comparison() {
  Column ratio{"ratio", "", ColumnKind::kDerived};
  ratio.interval_low = "ratio_low";
  ratio.interval_high = "ratio_high";
  Table out("compare", "compare",
            {{"kernel", "", ColumnKind::kParameter},
             {"base", "", ColumnKind::kDerived, "s"},
             ratio,
             {"ratio_low", "", ColumnKind::kDerived},
             {"ratio_high", "", ColumnKind::kDerived},
             {"verdict", "", ColumnKind::kDerived},
             reason_column()});
  out.verdict = {.column = "verdict",
                 .failures = {"regressed", "missing"},
                 .undecided = {"inconclusive"},
                 .told = {"base", "ratio", "none"},
                 .severity = "ratio"};
  const auto add = [&](const char* kernel, double ratio_value, const char* verdict) {
    return out.add_row()
        .set("kernel", kernel)
        .set("base", 0.00125)
        .set("ratio", ratio_value)
        .set("verdict", verdict);
  };
  add("naive", 1.0, "same");
  add("flash", 1.18, "regressed").set("ratio_low", 1.12).set("ratio_high", 1.25);
  add("window", 0.5, "improved");
  add("linear", 1.04, "inconclusive").set("reason", "11 more runs");
  add("decode", 2.0, "regressed");
  out.add_row().set("kernel", "strided").set("verdict", "missing");
  out.add_row().set("kernel", "bigbird").set("reason", "never judged");
  return out;
}

Result result_of(Table table) {
  Result out;
  out.name = "test";
  out.status = Status::kComplete;
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace

TEST_CASE("a table's own words decide what its rows are", "[report]") {
  const Result result = result_of(comparison());
  const auto all = findings_of(result);
  REQUIRE(all.size() == 1);
  const std::vector<Finding>& found = all[0].findings;
  REQUIRE(found.size() == 7);
  const Outcome outcomes[] = {Outcome::kPassed,  Outcome::kFailed, Outcome::kPassed,
                              Outcome::kSkipped, Outcome::kFailed, Outcome::kFailed,
                              Outcome::kSkipped};
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].name);
    CHECK(found[i].outcome == outcomes[i]);
  }
  CHECK(found[0].name == "kernel=naive: verdict");
  CHECK(found[0].message.empty());
  CHECK(found[1].message == "regressed: base 0.00125 s, ratio 1.18 (1.12 to 1.25)");
  CHECK(found[1].severity == Approx(std::log(1.18)));
  CHECK(found[3].message == "inconclusive: base 0.00125 s, ratio 1.04; 11 more runs");
  CHECK(found[5].message == "missing");
  CHECK(found[6].name == "kernel=bigbird: status");
  CHECK(found[6].message == "nothing was judged: never judged");
  CHECK(count_of(found, Outcome::kFailed) == 3);
}

TEST_CASE("a verdict must be the expected one where the row says which", "[report]") {
  Table table("verify", "verify",
              {{"claim", "", ColumnKind::kParameter},
               {"expected", "", ColumnKind::kExact},
               {"verdict", "", ColumnKind::kDerived},
               status_column(),
               reason_column()});
  table.verdict = {.column = "verdict", .expected = "expected", .undecided = {"inconclusive"}};
  const auto add = [&](const char* claim, const char* expected, const char* verdict) {
    return table.add_row().set("claim", claim).set("expected", expected).set("verdict", verdict);
  };
  add("a", "does not hold", "does not hold");
  add("b", "holds", "imprecise").set("status", "failed").set("reason", "why");
  add("c", "holds", "inconclusive");
  add("d", "holds", "holds").set("status", "failed").set("reason", "broke after its verdict");
  table.add_row().set("claim", "e").set("expected", "holds").set("status", "failed");
  table.add_row().set("claim", "f").set("expected", "holds").set("status", "refused");
  const Result result = result_of(std::move(table));
  const std::vector<Finding> found = findings_of(result).at(0).findings;
  REQUIRE(found.size() == 6);
  CHECK(found[0].outcome == Outcome::kPassed);
  CHECK(found[1].outcome == Outcome::kFailed);
  CHECK(found[1].message == "imprecise, expected holds; why");
  CHECK(found[2].outcome == Outcome::kSkipped);
  CHECK(found[3].outcome == Outcome::kError);
  CHECK(found[3].message == "the row failed: broke after its verdict");
  CHECK(found[4].outcome == Outcome::kError);
  CHECK(found[5].outcome == Outcome::kSkipped);
}

TEST_CASE("without a verdict, expectations and failed rows are the findings", "[report]") {
  Result result = sample_result();
  result.expectations.push_back(result.expectations[0]);  // the same cell again
  result.expectations.back().row = {{"n", "\xFF"}};
  result.expectations.push_back(result.expectations.back());
  const auto all = findings_of(result);
  REQUIRE(all.size() == 1);  // the table "empty" has none
  const std::vector<Finding>& found = all[0].findings;
  REQUIRE(found.size() == 6);
  CHECK(found[1].source == "expectation");
  CHECK(found[1].message == "expected >= 1, measured 1e-07: below min");
  CHECK(found[2].message == "not checked: interrupted");
  CHECK(found[3].name == "n=?: share");
  CHECK(found[4].name == "n=?: share #2");
  CHECK(found[5].outcome == Outcome::kError);
  CHECK(found[5].source == "status");
}

TEST_CASE("names that must differ are numbered", "[report]") {
  UniqueNames names;
  CHECK(names.make("a") == "a");
  CHECK(names.make("a #2") == "a #2");
  CHECK(names.make("a") == "a #3");
  CHECK(names.make("a") == "a #4");
  CHECK(names.make("b") == "b");
}

TEST_CASE("GitHub's commands show the worst first, and no more than it shows", "[report]") {
  Table table = comparison();
  const std::string few = print_github(result_of(table), {});
  const std::vector<std::string> lines = split(few, '\n');
  INFO(few);
  REQUIRE(lines.size() == 7);  // the last is empty
  CHECK(lines[0] ==
        "::error title=attnlab compare%3A kernel=decode%3A verdict::regressed: base 0.00125 s, "
        "ratio 2");
  CHECK(lines[1].starts_with("::error title=attnlab compare%3A kernel=flash"));
  CHECK(lines[2].ends_with("::missing"));
  CHECK(lines[3].starts_with("::warning title=attnlab compare%3A kernel=linear"));
  CHECK(lines[5] == "::notice title=attnlab test::3 failed, 2 undecided or not checked, 2 passed");
  for (int i = 0; i < 40; ++i) {
    table.add_row()
        .set("kernel", std::to_string(i))
        .set("ratio", 3.0 + i)
        .set("verdict", "regressed");
  }
  const std::string many = print_github(result_of(table), {});
  std::size_t errors = 0;
  std::string last;
  for (const std::string& line : split(many, '\n')) {
    if (!line.starts_with("::error ")) continue;
    ++errors;
    last = line;
  }
  INFO(last);
  CHECK(errors == 10);
  CHECK(many.starts_with("::error title=attnlab compare%3A kernel=39%3A verdict::"));
  CHECK(last.starts_with("::error title=attnlab 34 more::compare: kernel=30: verdict%0A"));
  CHECK(last.ends_with("%0A..."));
}

TEST_CASE("GitHub's commands escape what would end them", "[report]") {
  Table table = comparison();
  table.rows.clear();
  table.add_row()
      .set("kernel", "a:b,c%\n::error::x")
      .set("verdict", "missing")
      .set("reason", "100 %\r\nnext\x1b line, \xFF" + std::string(5000, 'x') + "end");
  Result result = result_of(std::move(table));
  result.status = Status::kInterrupted;
  result.points = {2, 5};
  const std::string text = print_github(result, {});
  const std::vector<std::string> lines = split(text, '\n');
  REQUIRE(lines.size() == 4);
  CHECK(
      lines[0].starts_with("::error title=attnlab compare%3A kernel=a%3Ab%2Cc%25 "
                           "%3A%3Aerror%3A%3Ax%3A verdict::missing; 100 %25%0D%0Anext  line, "
                           "\xEF\xBF\xBDxxx"));
  CHECK(lines[0].ends_with("xxx..."));
  CHECK(lines[0].size() < 4300);
  CHECK(lines[1] ==
        "::warning title=attnlab test::the result is interrupted: 2 of 5 points are done");
}
