// --runs: the points of a stretch of the grid are measured in rounds, in each of which every point
// gets one fresh process. What disturbs the machine for some seconds then meets one process of each
// point and not all processes of one, so that the intervals know of it.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_ROUNDS_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/watch.h"
#include "experiments/sweep_processes.h"

namespace attnlab {

// A stretch has as many points as are estimated to take that many seconds, but one at least: when a
// run is killed, the points of its stretch are lost.
inline constexpr double kStretchSeconds = 30;

// From the seconds that each point is estimated to take, all its processes together: those of the
// whole stretch for its first point and 0 for the others.
std::vector<double> stretches_of(const std::vector<double>& seconds);

class SweepRounds {
 public:
  // Runs one process of a point to its end; returns its document.
  using Run =
      std::function<std::string(std::size_t point, std::int64_t process, const Watch& watch)>;

  // The kernels of each point.
  SweepRounds(std::vector<std::vector<SweepKernel>> kernels, std::int64_t runs,
              std::vector<double> stretches, Run run);

  // The rows of a point; measures what is left of its stretch when it has not been. Meaningless
  // once the watch says stopped. An error of the point's first process is thrown; one of a later
  // process ends the point: its rows are "failed" and keep what was delivered before.
  std::vector<SweepRow> rows(std::size_t point, Watch& watch);

 private:
  struct Found {
    std::vector<SweepRow> rows;
    bool has_ended = false;
    std::exception_ptr error = nullptr;
  };
  void add(std::size_t point, std::int64_t process, Found& found, const Watch& watch);

  std::vector<std::vector<SweepKernel>> kernels_;
  std::int64_t runs_;
  std::vector<double> stretches_;
  Run run_;
  std::map<std::size_t, Found> found_;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_ROUNDS_H_
