#include "compare/match.h"

#include "compare/timed_result.h"
#include "support/catch.h"

namespace attnlab {

TEST_CASE("rows are matched by their parameters, whatever their order", "[compare]") {
  const Result base = timed_result(1);
  Result now = timed_result(2);
  std::swap(now.tables[0].rows[0], now.tables[0].rows[3]);
  now.tables[0].rows.erase(now.tables[0].rows.begin() + 1);  // flash at 64
  add_timed_row(now.tables[0], "flash", 256, 1e-3, 9);
  const auto tables = matched_tables(base, now, false);
  REQUIRE(tables.size() == 1);
  const auto& rows = tables[0].rows;
  REQUIRE(rows.size() == 5);
  for (const std::size_t i : {0, 2, 3}) {
    CAPTURE(i);
    REQUIRE(rows[i].now != nullptr);
    CHECK(parameters_text(*tables[0].base, *rows[i].base) ==
          parameters_text(*tables[0].now, *rows[i].now));
  }
  CHECK(rows[1].now == nullptr);
  CHECK(rows[4].base == nullptr);
  CHECK(parameters_text(*tables[0].now, *rows[4].now) == "kernel=flash isa=avx2 n=256");
}

TEST_CASE("rows that share all parameters go by their order", "[compare]") {
  Result base = timed_result(1), now = timed_result(2);
  add_timed_row(base.tables[0], "flash", 64, 1, 3);
  const auto tables = matched_tables(base, now, false);
  CHECK(tables[0].rows[1].now == &now.tables[0].rows[1]);
  CHECK(tables[0].rows[4].now == nullptr);
}

TEST_CASE("tables of only one result are found, and those with nothing to compare left out",
          "[compare]") {
  Result base = timed_result(1), now = timed_result(2);
  base.tables.emplace_back("fits", "sweep", std::vector<Column>{{"r2", "", ColumnKind::kDerived}});
  base.tables.emplace_back("old", "cost", std::vector<Column>{{"macs", "", ColumnKind::kExact}});
  now.tables.emplace_back("new", "cost", std::vector<Column>{{"macs", "", ColumnKind::kExact}});
  const auto tables = matched_tables(base, now, false);
  REQUIRE(tables.size() == 3);
  CHECK(tables[1].now == nullptr);
  CHECK(tables[1].any().name == "old");
  CHECK(tables[2].base == nullptr);
}

TEST_CASE("a row finds one of another instruction set only when asked, and only one", "[compare]") {
  Result base = timed_result(1), now = timed_result(2);
  for (Row& row : now.tables[0].rows) row.cells[1] = std::string("avx512");
  CHECK(matched_tables(base, now, false)[0].rows.size() == 8);
  const auto across = matched_tables(base, now, true);
  REQUIRE(across[0].rows.size() == 4);
  for (const RowPair& row : across[0].rows) CHECK((row.base != nullptr && row.now != nullptr));
  add_timed_row(now.tables[0], "flash", 64, 1, 3, 5, "sse4");
  const auto ambiguous = matched_tables(base, now, true);
  CHECK(ambiguous[0].rows[1].now == nullptr);  // flash at 64: two would do
  CHECK(ambiguous[0].rows[0].now != nullptr);
}

}  // namespace attnlab
