#include "report/expectation.h"

#include "report/expected_forms.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

// The verdict on a table of one row {"d": 4, "value": measured}.
Expectation verdict(const Cell& measured, const Json& expected) {
  Table table("t", "t", {{"d", "", ColumnKind::kParameter}, {"value", ""}});
  table.rows.push_back({{std::int64_t{4}, measured}, {}});
  const Json expect = Json::array({{{"d", 4}, {"value", expected}}});
  std::vector<Mistake> mistakes;
  check_expectations(expect, {table}, "config", mistakes);
  REQUIRE(mistakes.empty());
  const std::vector<Expectation> all = evaluate_expectations(expect, {table});
  REQUIRE(all.size() == 1);
  return all[0];
}

bool passes(const Cell& measured, const Json& expected) {
  return verdict(measured, expected).verdict == Verdict::kPass;
}

}  // namespace

TEST_CASE("a printed number must be what the value rounds to", "[report]") {
  CHECK(passes(4.034, "4.03"));
  CHECK_FALSE(passes(4.036, "4.03"));
  CHECK(passes(0.2478, "2.48e-1"));
  CHECK_FALSE(passes(0.2474, "2.48e-1"));
  CHECK(passes(std::int64_t{1536}, "1536"));
  CHECK(passes(-0.001, "0.00"));
  CHECK(verdict(4.036, "4.03").reason == "prints as 4.04");
}

TEST_CASE("a bare number is exact for counts, nearly so for reals", "[report]") {
  CHECK(passes(std::int64_t{1536}, 1536));
  CHECK_FALSE(passes(std::int64_t{1537}, 1536));
  CHECK_FALSE(passes(std::int64_t{9007199254740993}, 9007199254740992));
  CHECK(passes(0.1 + 0.2, 0.3));
  CHECK_FALSE(passes(0.3 + 1e-9, 0.3));
}

TEST_CASE("tolerances and bounds include their ends", "[report]") {
  CHECK(passes(1.5, {{"value", 1}, {"abs", 0.5}}));
  CHECK_FALSE(passes(1.51, {{"value", 1}, {"abs", 0.5}}));
  CHECK(passes(-1.25, {{"value", -1}, {"rel", 0.25}}));
  CHECK(passes(2.0, {{"min", 2}}));
  CHECK_FALSE(passes(2.0, {{"min", 1}, {"max", 1.9}}));
  CHECK(verdict(1.0, {{"min", 2}}).reason == "below min");
}

TEST_CASE("null, truth and text must be equal; a missing value meets nothing else", "[report]") {
  CHECK(passes(Cell(), nullptr));
  CHECK(passes(Cell(true), true));
  CHECK(passes(Cell(std::string("ok")), "ok"));
  CHECK_FALSE(passes(Cell(std::string("ok")), "failed"));
  CHECK(verdict(Cell(), 1).reason == "there is no value");
  CHECK_FALSE(passes(Cell(), {{"min", 0}}));
}

TEST_CASE("every row that matches must meet it, and one must match", "[report]") {
  Table table("t", "t", {{"d", "", ColumnKind::kParameter}, {"value", ""}});
  for (const double value : {1.0, 2.0}) table.rows.push_back({{std::int64_t{4}, value}, {}});
  const auto all = evaluate_expectations(Json::parse(R"([{"d": 4.0, "value": 1}])"), {table});
  REQUIRE(all.size() == 2);
  CHECK(all[0].verdict == Verdict::kPass);
  CHECK(all[1].verdict == Verdict::kFail);
  const auto none = evaluate_expectations(Json::parse(R"([{"d": 5, "value": 1}])"), {table});
  REQUIRE(none.size() == 1);
  CHECK(none[0].verdict == Verdict::kFail);
}

TEST_CASE("the terminal finds the printed number that a cell must equal", "[report]") {
  const Result result = sample_result();
  const ExpectedForms forms(result, result.tables[0]);
  const auto share = static_cast<std::size_t>(result.tables[0].index_of("share"));
  CHECK(forms.of(0, share) == "64.00");
  CHECK_FALSE(forms.of(1, share));
  CHECK_FALSE(forms.of(0, share + 1));
}

TEST_CASE("expected values are told in words", "[report]") {
  CHECK(expected_text("4.03") == "4.03");
  CHECK(expected_text({{"value", 82.3}, {"abs", 0.3}}) == "82.3 ±0.3");
  CHECK(expected_text({{"value", 1}, {"rel", 0.01}}) == "1 ±0.01 relative");
  CHECK(expected_text({{"min", 1.5}}) == ">= 1.5");
  CHECK(expected_text({{"max", 2}}) == "<= 2");
  CHECK(expected_text({{"min", 1}, {"max", 2}}) == "1 to 2");
  CHECK(selector_text({{"d", 4}, {"law", "normal"}}) == "d=4 law=normal");
}
