// What follows from the rows of `sweep` alone: fits, local exponents, crossovers, shares of the
// peak of the whole run, warnings. A run that was resumed has nothing but its rows.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_DERIVED_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_DERIVED_H_

#include <cstdint>
#include <vector>

#include "report/table.h"

namespace attnlab {

// Fills the derived tables, in the order of SweepTable. The seed is that of the bootstrap.
void derive_sweep_tables(std::uint64_t seed, std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_DERIVED_H_
