// What a result says of itself that continuous integration wants to know: expectations, rows that
// failed, verdicts of tables that judge their rows. One list, which JUnit and GitHub both print.
#ifndef ATTNLAB_REPORT_FINDINGS_H_
#define ATTNLAB_REPORT_FINDINGS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace attnlab {

// From good to bad. A failure is something measured that is not as it must be, an error a row that
// has no value.
enum class Outcome { kPassed, kSkipped, kFailed, kError };

// Texts are valid UTF-8.
struct Finding {
  Outcome outcome = Outcome::kPassed;
  std::string_view source;  // "expectation", "verdict" or "status"
  std::string name;         // unique in its table: "d=4 law=normal: variance"
  std::string message;      // what was found; "" when it passed
  double severity = 0;      // among findings of one outcome: the larger, the worse
};

struct TableFindings {
  const Table* table;
  std::vector<Finding> findings;  // at least one
};

// Those of each table that has some, in the order of the tables: its expectations, then its rows.
// A row is judged by the table's verdict (TableVerdict). In a table without one, only a row that
// failed is a finding. Points into the result.
std::vector<TableFindings> findings_of(const Result& result);

std::size_t count_of(const std::vector<Finding>& findings, Outcome outcome);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FINDINGS_H_
