// The tables of `sweep`: their columns, and what each measured row writes into them.
//   sweep      a row a kernel and point       order  when each sample was taken
//   peaks      the probe, a row a point       fits, crossovers, exponents  derived
//   (sweep_derived.h)
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_TABLES_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_TABLES_H_

#include <vector>

#include "experiments/sweep_measure.h"
#include "report/table.h"

namespace attnlab {

// Where each table stands among those of the experiment.
enum SweepTable {
  kSweepTable,
  kFitsTable,
  kCrossoversTable,
  kExponentsTable,
  kOrderTable,
  kPeaksTable
};

std::vector<Table> sweep_tables(const SweepSettings& settings, const ParameterList& parameters);

// Adds a row with the parameters of a kernel at a point.
Table::RowWriter add_sweep_row(const SweepSettings& settings, const SweepPoint& point,
                               const SweepKernel& kernel, Table& table);

// Adds the rows of a point, with the speedup against the baseline among them.
void write_sweep_rows(const SweepSettings& settings, const SweepPoint& point,
                      const std::vector<SweepKernel>& kernels, const std::vector<SweepRow>& rows,
                      std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_TABLES_H_
