// Figures of very many points, thinned to what can be seen.
#ifndef ATTNLAB_REPORT_FIGURE_THINNED_H_
#define ATTNLAB_REPORT_FIGURE_THINNED_H_

#include <cstddef>

#include "report/figure.h"

namespace attnlab {

inline constexpr std::size_t kMostPoints = 2000;  // of a curve; no fewer are ever thinned

// Keeps of each longer list of points (measured, curve, band) its first and last point and, of each
// narrow stretch of the x axis, the points where the value and its interval are least and largest.
// Whether any was thinned.
bool thin_points(Figure& figure);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_THINNED_H_
