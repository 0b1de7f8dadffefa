// Whether two results were made in the same way: only then do their times speak of the program.
#ifndef ATTNLAB_COMPARE_COMPARABLE_H_
#define ATTNLAB_COMPARE_COMPARABLE_H_

#include <vector>

#include "report/differences.h"
#include "report/result.h"

namespace attnlab {

// What differs of the machine, the number of threads and the build: processor, instruction sets,
// compiler, flags, BLAS and its core; never version or commit.
std::vector<Difference> machine_differences(const Result& base, const Result& now);

// What differs of the parameters of experiments whose tables both results have: those that are no
// column of a table and do not merely say how long to measure. Size of the input files too.
std::vector<Difference> setting_differences(const Result& base, const Result& now);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_COMPARABLE_H_
