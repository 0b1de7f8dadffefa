// The times of rows as they are compared: checked, and over those of a reference kernel.
#ifndef ATTNLAB_COMPARE_SAMPLES_H_
#define ATTNLAB_COMPARE_SAMPLES_H_

#include <optional>
#include <string>

#include "measure/change.h"
#include "report/result.h"

namespace attnlab {

// UserError, with `place` and the row, when a result holds what no time and no value is: times that
// are not above 0, a single one, or a NaN or infinity that is spelled out.
void check_values(const Result& result, const std::string& place);

// The row of the same parameters but for the kernel, which is `reference`, and the instruction set:
// the last one (the best); null when there is none.
const Row* reference_row(const Table& table, const Row& row, const std::string& reference);

// The samples of a row, without processes that have none; with a reference those of that kernel
// beside them. No value when a reference is asked for and was not measured by the same processes.
std::optional<TimedSide> timed_side(const Table& table, const Row& row,
                                    const std::string& reference);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_SAMPLES_H_
