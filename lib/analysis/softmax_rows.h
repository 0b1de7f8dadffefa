// softmax_row.h for many rows at once, a row a lane, an entry for each instruction set.
#ifndef ATTNLAB_ANALYSIS_SOFTMAX_ROWS_H_
#define ATTNLAB_ANALYSIS_SOFTMAX_ROWS_H_

#include <cstdint>

#include "machine/isa.h"

namespace attnlab {

// Where the statistics of row r go: element r of each.
struct RowStatisticsColumns {
  double *spread, *entropy, *max_weight, *gradient_scale;
};

// scores [keys, stride]: that of row r and key j is scores[j * stride + r]; r < rows <= stride.
// Reads and writes on to a multiple of 8 rows: stride and the outputs have room for that.
void softmax_rows(const double* scores, std::int64_t keys, std::int64_t stride, std::int64_t rows,
                  double scale, double temperature, const RowStatisticsColumns& out, Isa isa);

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_SOFTMAX_ROWS_H_
