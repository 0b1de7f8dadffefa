// Linear least squares for a handful of unknowns.
#ifndef ATTNLAB_MEASURE_LEAST_SQUARES_H_
#define ATTNLAB_MEASURE_LEAST_SQUARES_H_

#include <optional>
#include <span>
#include <vector>

namespace attnlab {

// The x that minimises |A x - y| by modified Gram-Schmidt, columns scaled to length 1 first (Golub
// & Van Loan, Matrix Computations, section 5.2.8). `columns` are those of A [rows, unknowns]. No
// value when there are fewer rows than unknowns or the columns depend on each other.
std::optional<std::vector<double>> least_squares(std::vector<std::vector<double>> columns,
                                                 std::span<const double> y);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_LEAST_SQUARES_H_
