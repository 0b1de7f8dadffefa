// Pairs of queries and keys counted one by one, from the definition of the pattern.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_COUNTING_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_COUNTING_H_

#include <cstdint>

#include "attention/problem.h"

namespace attnlab {

// What total_pairs() gives by a formula; for small problems.
std::int64_t pairs_by_loops(const Problem& problem, Operator op);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_COUNTING_H_
