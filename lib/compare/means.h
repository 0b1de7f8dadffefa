// Geometric means of the changes of a kernel: one row a table and kernel.
#ifndef ATTNLAB_COMPARE_MEANS_H_
#define ATTNLAB_COMPARE_MEANS_H_

#include <vector>

#include "compare/compared_value.h"
#include "compare/times.h"
#include "report/table.h"

namespace attnlab {

// Columns experiment, table, kernel, rows, ratio, ratio_low, ratio_high. The interval is that of
// the processes' own geometric means, null where the rows of a kernel have not as many processes
// each.
Table geometric_means(const TimeComparison& times, const std::vector<ComparedValue>& values);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_MEANS_H_
