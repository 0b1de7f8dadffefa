// Measures one point of `sweep` in this process: every kernel is set up, checked, and timed against
// the others.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_MEASURE_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_MEASURE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/watch.h"
#include "experiments/experiment.h"
#include "experiments/sweep_check.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_settings.h"
#include "machine/thread_team.h"
#include "measure/robust.h"

namespace attnlab {

// What was found of one kernel at one point.
struct SweepRow {
  std::string status = "ok", reason;
  ProcessSamples samples;                         // seconds a call, one list a process
  std::vector<std::vector<std::int64_t>> orders;  // their places among the samples of the point
  std::optional<std::int64_t> macs, workspace_bytes, working_set_bytes;
  std::optional<SweepErrors> errors;
  std::optional<double> peak;       // FLOP/s of the probe
  std::vector<double> first_token;  // of a generation: median seconds of a prefill, a process each
};

// Seconds a multiply-add of each kernel as measured so far: what a longer sequence is estimated by.
class SweepRates {
 public:
  void learn(const SweepKernel& kernel, const SweepPoint& point, double macs, double seconds);
  std::optional<double> seconds(const SweepKernel& kernel, const SweepPoint& point,
                                double macs) const;

 private:
  std::map<std::string, double> rates_;
};

// The rows of a point, one a kernel. The memory that all may take together is `allowed_bytes`; what
// measured rates say of the time goes for their estimate in `needs`. `process` numbers the
// processes of --runs and goes into the seed of the order. Incomplete when the watch says stopped.
std::vector<SweepRow> measure_point(const SweepSettings& settings, const SweepPoint& point,
                                    const std::vector<SweepKernel>& kernels,
                                    const SweepNeeds& needs, double allowed_bytes,
                                    std::int64_t process, SweepRates& rates, ThreadTeam& team,
                                    Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_MEASURE_H_
