// What people read of a comparison: what is not the same, and all times.
#ifndef ATTNLAB_COMPARE_CHANGES_H_
#define ATTNLAB_COMPARE_CHANGES_H_

#include <span>
#include <string>
#include <vector>

#include "compare/compared_value.h"

namespace attnlab {

// The verdicts in the order in which people want to read of them.
std::span<const ChangeVerdict> verdicts_by_weight();

// The table `changes`, what matters most and changed most first: the parameters that tell its rows
// apart, values with their units, the ratio with its interval. Its notes say what is left out and
// what would tell more. No longer than a comment on GitHub may be.
Table changes_table(const std::vector<ComparedValue>& values, std::string title);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_CHANGES_H_
