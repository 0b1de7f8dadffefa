// Runs a plan point by point.
#ifndef ATTNLAB_APP_RUNNER_H_
#define ATTNLAB_APP_RUNNER_H_

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/output.h"
#include "app/plan.h"
#include "app/progress.h"
#include "report/result.h"

namespace attnlab {

struct RunLimits {
  int threads = 1;
  double memory_bytes = std::numeric_limits<double>::infinity();  // a point
  double seconds = std::numeric_limits<double>::infinity();       // a point
};

// The tables of a plan, without rows, under names unique in the result.
Result empty_result(const Plan& plan);

// Seconds by the clock that a point takes, roughly.
double wall_seconds(const Point& point, const RunLimits& limits);
// The status that a point would have by its estimates ("ok", "refused", "skipped"), and why. What
// applies the limits to its parts by itself is "ok".
std::pair<std::string, std::string> forecast(const Point& point, const RunLimits& limits);

// What bad input or a failing system made of a point; its row is in the result too.
struct PointError {
  std::string text;  // "inspect all: q.npz: cannot be unpacked; ..."
  bool is_input = false;
};

// Runs every point that is not yet in the result and that the limits allow, and keeps the output,
// which has been opened, up to date. On return the result is complete, or interrupted by a signal,
// and everything is evaluated and written but for finish().
std::vector<PointError> run_plan(Plan& plan, const RunLimits& limits, Progress& progress,
                                 Output& output, Result& result);

// Whether there were points and all of them were refused for want of memory.
bool all_refused(const Result& result);
// Whether any row failed.
bool any_failed(const Result& result);

}  // namespace attnlab

#endif  // ATTNLAB_APP_RUNNER_H_
