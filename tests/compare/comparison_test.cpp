#include "compare/comparison.h"

#include "base/error.h"
#include "compare/changes.h"
#include "compare/timed_result.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Comparison compared(const Result& base, const Result& now, const CompareOptions& options = {}) {
  return compare_results(base, "base", now, "new", options);
}

// The value of a column of flash at n = 64.
const ComparedValue& flash(const Comparison& found, const std::string& column) {
  for (const ComparedValue& value : found.values) {
    const bool is_row = value.parameters == "kernel=flash isa=avx2 n=64";
    if (is_row && value.column == column) return value;
  }
  FAIL("no value of " << column);
  throw;
}

// A comparison after one cell of flash at n = 64 was changed.
template <class T>
Comparison after(const std::string& column, T value) {
  const Result base = timed_result(1);
  Result now = base;
  Table& table = now.tables[0];
  table.rows[1].cells[static_cast<std::size_t>(table.index_of(column))] = Cell(value);
  return compared(base, now);
}

}  // namespace

TEST_CASE("two runs of the same program are the same", "[compare]") {
  const Comparison found = compared(timed_result(1), timed_result(100));
  CHECK(found.count(ChangeVerdict::kSame) == found.values.size());
  CHECK(found.values.size() == 16);  // time, macs, workspace_bytes, max_error of four rows
  CHECK(found.counts_text() == "16 same");
}

TEST_CASE("a kernel that became 18 % slower has regressed, and it alone", "[compare]") {
  for (const bool in_pairs : {false, true}) {
    CAPTURE(in_pairs);
    const std::size_t processes = in_pairs ? 10 : 5;
    const Comparison found = compared(timed_result(1, 1, processes),
                                      timed_result(100, 1.18, processes), {.in_pairs = in_pairs});
    CHECK(found.count(ChangeVerdict::kRegressed) == 2);
    CHECK(found.count(ChangeVerdict::kInconclusive) == 0);
    const ComparedValue& value = flash(found, "time");
    CHECK(value.verdict == ChangeVerdict::kRegressed);
    CHECK(*value.ratio == Approx(1.18).epsilon(0.03));
    CHECK(*value.ratio_low > 1.05);
    CHECK(*value.p < 0.05);
    REQUIRE(found.means.rows.size() == 2);
    CHECK(std::get<double>(found.means.at(found.means.rows[1], "ratio")) ==
          Approx(1.18).epsilon(0.03));
    CHECK(std::get<double>(found.means.at(found.means.rows[1], "ratio_low")) > 1.1);
    const Comparison back = compared(timed_result(100, 1.18), timed_result(1));
    CHECK(back.count(ChangeVerdict::kImproved) == 2);
  }
}

TEST_CASE("one process a side tells nothing of the next", "[compare]") {
  const Comparison found = compared(timed_result(1, 1, 1), timed_result(100, 1.5, 1));
  CHECK(found.count(ChangeVerdict::kInconclusive) == 4);
  CHECK(flash(found, "time").reason.find("--runs 5") != std::string::npos);
}

TEST_CASE("the very same samples are the same, however noisy", "[compare]") {
  const Result once = timed_result(1, 1, 1);
  CHECK(compared(once, once).count(ChangeVerdict::kSame) == 16);
}

TEST_CASE("thresholds hold for a kernel or a column", "[compare]") {
  const Result base = timed_result(1), now = timed_result(100, 1.18);
  CHECK(compared(base, now, {.thresholds = {"25%"}}).count(ChangeVerdict::kRegressed) == 0);
  CHECK(
      compared(base, now, {.thresholds = {"25%", "flash=10%"}}).count(ChangeVerdict::kRegressed) ==
      2);
  CHECK(compared(base, now, {.thresholds = {"0.25", "naive=0.01"}})
            .count(ChangeVerdict::kRegressed) == 0);
  CHECK(compared(base, now, {.thresholds = {"25%", "time=10%"}}).count(ChangeVerdict::kRegressed) ==
        2);
  for (const char* wrong : {"x", "-1%", "5%%", "flash=", "2000%", ""}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(compared(base, now, {.thresholds = {wrong}}), UserError);
  }
  CHECK_THROWS_AS(compared(base, now, {.thresholds = {"5%", "6%"}}), UserError);
  CHECK_THROWS_AS(compared(base, now, {.thresholds = {"flahs=5%"}}), UserError);
}

TEST_CASE("counts are equal or wrong", "[compare]") {
  CHECK(flash(after("macs", std::int64_t{4097}), "macs").verdict == ChangeVerdict::kRegressed);
  CHECK(flash(after("macs", 4096.0), "macs").verdict == ChangeVerdict::kSame);
  CHECK(flash(after("workspace_bytes", std::int64_t{255}), "workspace_bytes").verdict ==
        ChangeVerdict::kImproved);
  CHECK(flash(after("workspace_bytes", std::int64_t{257}), "workspace_bytes").verdict ==
        ChangeVerdict::kRegressed);
  CHECK(flash(after("macs", std::monostate()), "macs").verdict == ChangeVerdict::kMissing);
}

TEST_CASE("measured values may differ by their tolerance", "[compare]") {
  CHECK(flash(after("max_error", 1.05e-6), "max_error").verdict == ChangeVerdict::kSame);
  CHECK(flash(after("max_error", 1.2e-6), "max_error").verdict == ChangeVerdict::kRegressed);
  CHECK(after("speedup", 99.0).count(ChangeVerdict::kSame) == 16);  // derived: not compared
}

TEST_CASE("what became of a row counts before its values", "[compare]") {
  const Comparison failed = after("status", std::string("failed"));
  CHECK(flash(failed, "status").verdict == ChangeVerdict::kRegressed);
  CHECK(failed.values.size() == 13);
  CHECK(flash(after("status", std::string("refused")), "status").verdict ==
        ChangeVerdict::kMissing);
}

TEST_CASE("rows and tables of one result alone are said", "[compare]") {
  const Result base = timed_result(1);
  Result now = timed_result(2);
  now.tables[0].rows.pop_back();
  CHECK(compared(base, now).count(ChangeVerdict::kMissing) == 1);
  CHECK(compared(now, base).count(ChangeVerdict::kExtra) == 1);
  now.tables.clear();
  CHECK(compared(base, now).count(ChangeVerdict::kMissing) == 1);
}

TEST_CASE("times over those of a kernel travel between machines", "[compare]") {
  const Result base = timed_result(1);
  Result now = timed_result(100);  // a machine half as fast with other vectors
  for (Row& row : now.tables[0].rows) {
    row.cells[1] = std::string("avx512");
    for (auto& process : row.time_samples) {
      for (double& time : process) time *= 2;
    }
  }
  const CompareOptions relative{.relative_to = "naive"};
  const Comparison found = compared(base, now, relative);
  CHECK(found.count(ChangeVerdict::kSame) == 16);
  for (auto& process : now.tables[0].rows[1].time_samples) {
    for (double& time : process) time *= 1.18;
  }
  CHECK(compared(base, now, relative).count(ChangeVerdict::kRegressed) == 1);
  CHECK_THROWS_AS(compared(base, now, {.relative_to = "textbook"}), UserError);
}

TEST_CASE("what is no value is refused with its place", "[compare]") {
  const Result base = timed_result(1);
  const auto refused = [&](auto&& change, const std::string& words) {
    Result now = timed_result(2);
    change(now.tables[0]);
    REQUIRE_THROWS_WITH(compared(base, now), Catch::Contains(words));
    REQUIRE_THROWS_AS(compared(base, now), UserError);
  };
  refused([](Table& t) { t.rows[1].time_samples[2][3] = 0; },
          "new: table sweep, kernel=flash isa=avx2 n=64: time_samples[2][3] is 0");
  refused([](Table& t) { t.rows[1].time_samples[0][0] = -1; }, "time_samples[0][0] is -1");
  refused([](Table& t) { t.rows[1].time_samples = {{1e-3}}; }, "a single time");
  refused([](Table& t) { t.rows[1].cells[8] = std::string("NaN"); }, "max_error is \"NaN\"");
  refused([](Table& t) { t.rows[1].cells[6] = std::string("-Infinity"); }, "macs is");
  refused([](Table& t) { t.columns[7].unit = "KiB"; },
          "has the unit \"B\" in the old result and \"KiB\"");
  refused([](Table& t) { t.rows[1].cells[6] = std::string("many"); },
          "holds 4096 in the old result");
}

TEST_CASE("people read the worst first, and never more than a comment holds", "[compare]") {
  Result base = timed_result(1), now = timed_result(100, 1.18);
  for (std::int64_t n = 1000; n < 6000; ++n) {
    add_timed_row(base.tables[0], "window", n, 1e-3, static_cast<std::uint64_t>(n), 5);
    add_timed_row(now.tables[0], "window", n, 1e-3, static_cast<std::uint64_t>(n), 5);
  }
  const Comparison found = compared(base, now);
  const Table changes = changes_table(found.values, found.counts_text());
  CHECK(cell_text(changes.at(changes.rows[0], "verdict")) == "regressed");
  CHECK(cell_text(changes.at(changes.rows[0], "row")).find("isa") == std::string::npos);
  CHECK(changes.rows.size() < 1000);
  CHECK(changes.notes[0].find("more: see the table compare") != std::string::npos);
  CHECK(found.table().rows.size() == found.values.size());
}

}  // namespace attnlab
