// Finds for each row of an old result the row of a new one that has the same parameters.
#ifndef ATTNLAB_COMPARE_MATCH_H_
#define ATTNLAB_COMPARE_MATCH_H_

#include <string>
#include <vector>

#include "report/result.h"

namespace attnlab {

struct RowPair {
  const Row* base;  // null: only the new result has the row
  const Row* now;   // null: only the old one has it
};

struct TablePair {
  const Table* base;  // null: only the new result has the table
  const Table* now;
  std::vector<RowPair>
      rows{};  // in the old one's order, then the new one's; none without a partner

  const Table& any() const { return base != nullptr ? *base : *now; }
};

// Whether a table holds anything that is compared: a counted, measured or timed column.
bool is_compared(const Table& table);

// The tables that hold something to compare, by name. Rows that share all parameters go by their
// order. `across_isas`: a row finds one of another instruction set where, apart from that, each
// result has one such row.
std::vector<TablePair> matched_tables(const Result& base, const Result& now, bool across_isas);

// "kernel=flash n=128": the parameters of a row.
std::string parameters_text(const Table& table, const Row& row);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_MATCH_H_
