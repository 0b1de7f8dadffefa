// Compares the values of two rows that no clock made: counted ones are equal or wrong, measured
// ones equal within the tolerance that their column states.
#ifndef ATTNLAB_COMPARE_CELLS_H_
#define ATTNLAB_COMPARE_CELLS_H_

#include <vector>

#include "compare/compared_value.h"
#include "compare/match.h"

namespace attnlab {

// Whether what became of two rows (their status) leaves values to compare; where it does not, or is
// not the same, adds a value that says so.
bool compare_status(const TablePair& tables, const RowPair& rows,
                    std::vector<ComparedValue>& values);

// Adds a value for each counted and measured column that either table has. UserError when a
// column has different units, or a number on one side and a text on the other.
void compare_cells(const TablePair& tables, const RowPair& rows,
                   std::vector<ComparedValue>& values);

// A value of a row whose verdict and values are still to be set.
ComparedValue value_of(const Table& table, const Row& row);

// Whether a row's values are there: it has no status, or one that is "ok".
bool is_ok(const Table& table, const Row& row);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_CELLS_H_
