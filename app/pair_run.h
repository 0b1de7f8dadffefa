// `compare --pair`: two builds run a config in turns, so that what drifts on the machine meets
// both.
#ifndef ATTNLAB_APP_PAIR_RUN_H_
#define ATTNLAB_APP_PAIR_RUN_H_

#include <cstdint>
#include <string>

#include "report/result.h"

namespace attnlab {

struct PairRun {
  std::string base_program, now_program;  // paths of two builds of attnlab
  std::string config;                     // a file as `run` takes
  std::int64_t runs = 1;                  // processes of each program
  bool shows_progress = false;
};

struct PairResults {
  Result base, now;  // time_samples: one list a process, those of one index beside each other
};

// Runs each experiment of the config, once with each program; those that time anything as often as
// `runs` says, in fresh processes, who goes first drawn by lot. Where the config gives no min_time,
// samples last a millisecond. Interrupted, the results hold the
// whole pairs that were done. UserError when the config is none, or a program refuses it; RunError
// when a program cannot be run or gives no result.
PairResults run_in_pairs(const PairRun& pair);

}  // namespace attnlab

#endif  // ATTNLAB_APP_PAIR_RUN_H_
