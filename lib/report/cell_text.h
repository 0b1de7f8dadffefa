// Cells as people read them: one number of decimals a column, decimal points in line, units scaled.
#ifndef ATTNLAB_REPORT_CELL_TEXT_H_
#define ATTNLAB_REPORT_CELL_TEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/table.h"
#include "report/text_grid.h"

namespace attnlab {

// Finds for a cell the printed number it is expected to equal ("4.03"), if any.
using ExpectedForm = std::function<std::optional<std::string>(std::size_t row)>;

// The text of column `index` of a table, its decimal points in line. A column with an interval
// shows it as "value ±half" where it is symmetric. `expected` decides the decimals of the cells
// that have an expected form. Parameters are the keys of the grid; words that judge (status,
// verdict) have a colour.
GridColumn column_text(const Table& table, std::size_t index, const ExpectedForm& expected);

// "3.2 GiB": a number of bytes in a message.
std::string size_text(double bytes);

// A value in a message: "1.234 ms" of 0.001234 and "s"; "" where there is none.
std::string value_text(const Cell& cell, const std::string& unit);

// The colour of a word that judges ("pass", "refused", "regressed"), "" for any other.
std::string color_of_word(std::string_view word);

// Whether a column needs no place of its own: it is the end of an interval shown with another
// column, or says nothing (every status ok, no reason).
bool is_hidden(const Table& table, std::size_t index);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_CELL_TEXT_H_
