// Cells as people read them: one number of decimals a column, decimal points in line, units scaled.
#ifndef ATTNLAB_REPORT_CELL_TEXT_H_
#define ATTNLAB_REPORT_CELL_TEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/table.h"

namespace attnlab {

struct ColumnText {
  std::string header;              // the column's name
  std::string unit;                // as scaled for this column: "ms", "MiB"; "" for none
  std::vector<std::string> cells;  // one a row, padded to equal display width
  std::size_t width = 0;
  bool numeric = false;  // aligned to the right
};

// Finds for a cell the printed number it is expected to equal ("4.03"), if any.
using ExpectedForm = std::function<std::optional<std::string>(std::size_t row)>;

// The text of column `index` of a table. A column with an interval shows it as "value ±half" where
// it is symmetric. `expected` decides the decimals of the cells that have an expected form.
ColumnText column_text(const Table& table, std::size_t index, const ExpectedForm& expected);

// Whether a column needs no place of its own: it is the end of an interval shown with another
// column, or says nothing (every status ok, no reason).
bool is_hidden(const Table& table, std::size_t index);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_CELL_TEXT_H_
