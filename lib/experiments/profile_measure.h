// Where a kernel's time goes, by ablation: the kernel without one of its stages is timed beside the
// whole one, and what it saves is what the stage costs. Results of such runs are thrown away.
#ifndef ATTNLAB_EXPERIMENTS_PROFILE_MEASURE_H_
#define ATTNLAB_EXPERIMENTS_PROFILE_MEASURE_H_

#include <optional>
#include <string>
#include <vector>

#include "attention/kernel.h"
#include "base/watch.h"
#include "experiments/sweep_settings.h"
#include "machine/perf_counters.h"
#include "measure/robust.h"

namespace attnlab {

// A part of a call's time. Seconds are those of the clock: of the team's work, the mean over its
// workers.
struct ProfilePart {
  std::string name;
  double seconds = 0;
  std::optional<Interval> interval{};  // 95 %
  std::optional<double> flops{};       // that the operator needs there
  std::vector<double> samples{};       // one a round; none of what is added up
};

struct Profile {
  std::string status = "ok", reason;
  // The stages in order, `waiting` (workers without a task), `rest` (what is left when every stage
  // is left out), `sum` of all these, and `total`: the whole kernel as measured.
  std::vector<ProfilePart> parts;
  double peak = 0;                          // FLOP/s of the probe, on all threads
  std::vector<PerfCounters::Count> counts;  // a call of the whole kernel
  std::vector<PerfCounters::Absent> absent;
};

// The stages of the kernel that the problem has: widening is none of f32.
std::vector<Stage> profiled_stages(const Kernel& kernel, const Problem& problem);

// Incomplete when the watch says stopped.
Profile measure_profile(const SweepSettings& settings, const SweepPoint& point,
                        const Kernel& kernel, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_PROFILE_MEASURE_H_
