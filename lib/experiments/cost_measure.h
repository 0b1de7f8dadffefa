// `cost --measure`: the parts of a layer timed on this machine, beside what is counted.
#ifndef ATTNLAB_EXPERIMENTS_COST_MEASURE_H_
#define ATTNLAB_EXPERIMENTS_COST_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.h"
#include "experiments/cost_tables.h"
#include "experiments/experiment.h"

namespace attnlab {

struct CostMeasureSettings {
  bool measure = false;
  std::int64_t repeats = 7, warmup = 1;
  Duration min_time{0.01};

  void declare(ParameterList& list);
};

// Memory and time that a layer type's measurement takes at a point: seconds on one thread, at a
// rate of 20 GFLOP/s a thread.
struct CostMeasureNeeds {
  double bytes = 0, seconds = 0;
};
CostMeasureNeeds measure_needs(const CostMeasureSettings& settings, const LayerType& type,
                               const CostPoint& point, int threads);

// Adds the rows of one subject at a point to the tables measured, generation and peaks. Where a
// layer type cannot be measured, or a result is wrong, its row says so and why.
void add_measured_rows(const CostMeasureSettings& settings, const CostSubject& subject,
                       const CostPoint& point, RunContext& context, std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_COST_MEASURE_H_
