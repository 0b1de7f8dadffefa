// Problems of every shape: together they take each value of each axis many times.
#ifndef ATTNLAB_TESTS_ATTENTION_SUPPORT_GRID_H_
#define ATTNLAB_TESTS_ATTENTION_SUPPORT_GRID_H_

#include "support/case.h"

namespace attnlab::test {

inline constexpr int kCases = 84;  // every value of each axis at least twelve times

Problem problem_number(int index, Dtype dtype, Operator op);
Layout layout_number(int index);

}  // namespace attnlab::test

#endif  // ATTNLAB_TESTS_ATTENTION_SUPPORT_GRID_H_
