#include "report/cell_text.h"
#include "report/format.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

GridColumn text_of(const Table& table, std::string_view name) {
  return column_text(table, static_cast<std::size_t>(table.index_of(name)),
                     [](std::size_t) { return std::nullopt; });
}

Table table_of(std::vector<Cell> cells, Column column) {
  Table out("t", "e", {std::move(column)});
  for (Cell& cell : cells) out.rows.push_back({{std::move(cell)}, {}});
  return out;
}

using Cells = std::vector<std::string>;

}  // namespace

TEST_CASE("a unit is chosen once a column", "[report]") {
  const Column seconds{.name = "t", .unit = "s"};
  GridColumn column = text_of(table_of({0.00125, 0.1, 0.00002}, seconds), "t");
  REQUIRE(column.unit == "ms");
  REQUIRE(column.cells == Cells{"1.250", "100.000", "0.020"});
  column = text_of(
      table_of({std::int64_t{3} << 30, std::int64_t{1} << 29}, {.name = "b", .unit = "B"}), "b");
  REQUIRE(column.unit == "GiB");
  REQUIRE(column.cells == Cells{"3.0000", "0.5000"});
}

TEST_CASE("numbers that are far apart keep their own form", "[report]") {
  REQUIRE(text_of(table_of({1e-9, 12345.678, Cell()}, {.name = "x"}), "x").cells ==
          Cells{"1e-09", "1.235e+04", "-"});
  REQUIRE(text_of(table_of({4.0, 1024.0}, {.name = "x"}), "x").cells == Cells{"4", "1024"});
  REQUIRE(text_of(table_of({std::int64_t{3145728}}, {.name = "x"}), "x").cells == Cells{"3145728"});
}

TEST_CASE("an interval that is even stands behind its value", "[report]") {
  const Result result = sample_result();
  const Table& table = result.tables[0];
  const GridColumn column = text_of(table, "time");
  REQUIRE(column.unit == "ms");
  REQUIRE(column.cells == Cells{"1.250 ± 0.050", "100.000 ±10.000", "-            "});
  REQUIRE(is_hidden(table, static_cast<std::size_t>(table.index_of("time_low"))));
  Table uneven = table;
  uneven.rows[0].cells[3] = 0.001;
  REQUIRE_FALSE(is_hidden(uneven, static_cast<std::size_t>(uneven.index_of("time_low"))));
}

TEST_CASE("the terminal shows tables, notes, verdicts and how far the run came", "[report]") {
  const std::string text = print_table(sample_result(), {.width = 100});
  INFO(text);
  for (const char* part :
       {"times: Времена, \"quoted\"", "64.00", "A note.", "n=1024  share", ">= 1",
        "fail: below min", "not checked: interrupted", "no <such> & thing", "(no rows)",
        "1 of 3 expectations pass, 1 fail, 1 not checked",
        "This result is interrupted: 2 of 5 points are done."}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("a table of one row that is too wide is turned on its side", "[report]") {
  Result result = sample_result();
  result.expectations.clear();
  result.status = Status::kComplete;
  result.tables.resize(1);
  result.tables[0].rows.resize(1);
  result.tables[0].notes.clear();
  REQUIRE(print_table(result, {.width = 40}) ==
          "times: Времена, \"quoted\"\n"
          "column  value         unit\n"
          "kernel  naive\n"
          "n       64\n"
          "time    1.250 ±0.050  ms\n"
          "share   64\n"
          "shape   [1,12]\n"
          "exact   yes\n");
}
