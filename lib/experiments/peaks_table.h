// The limits of the machine (measure/peaks.h) as a table: of `machine --peaks`, and beside what
// `cost --measure` measures.
#ifndef ATTNLAB_EXPERIMENTS_PEAKS_TABLE_H_
#define ATTNLAB_EXPERIMENTS_PEAKS_TABLE_H_

#include <span>
#include <string>
#include <vector>

#include "measure/peaks.h"
#include "report/table.h"

namespace attnlab {

// Without rows; `keys` are columns that come first.
Table peaks_table(const std::string& experiment, std::vector<Column> keys = {});

// Adds a row and returns its writer for the keys.
Table::RowWriter add_peak_row(const Peak& peak, Table& table);

// Takes them with a buffer of its own. Throws RunError without memory for it.
std::vector<Peak> take_peaks(const PeakSettings& settings, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_PEAKS_TABLE_H_
