// A contraction carried out on random operands, timed by BLAS and held against plain loops.
#ifndef ATTNLAB_EXPERIMENTS_CONTRACT_MEASURE_H_
#define ATTNLAB_EXPERIMENTS_CONTRACT_MEASURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/watch.h"
#include "machine/thread_team.h"
#include "measure/robust.h"
#include "tensor/contraction_plan.h"

namespace attnlab {

struct ContractTiming {
  std::string status = "ok", reason;
  std::vector<double> samples;  // seconds a call
  double seconds = 0;           // median
  std::optional<Interval> interval;
  double peak = 0;       // FLOP/s of the probe beside it
  double max_error = 0;  // largest absolute difference to plain loops, over the elements checked
  std::int64_t checked = 0;
};

// Elements of the result that are held against plain loops, at most.
inline constexpr std::int64_t kCheckedElements = 4096;

// float32. The status is "failed" when an element differs by more than float32 sums may lose.
ContractTiming measure_contraction(const Contraction& contraction, const ContractionPlan& plan,
                                   std::int64_t repeats, ThreadTeam& team, Watch& watch);

// Bytes that it takes.
double measured_bytes(const Contraction& contraction, const ContractionPlan& plan);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_CONTRACT_MEASURE_H_
