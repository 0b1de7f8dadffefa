#include "experiments/sweep_rounds.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/limits.h"

namespace attnlab {

std::vector<double> stretches_of(const std::vector<double>& seconds) {
  std::vector<double> out(seconds.size(), 0);
  for (std::size_t i = 0, first = 0; i < seconds.size(); ++i) {
    if (out[first] + seconds[i] > kStretchSeconds) first = i;
    out[first] += seconds[i];
  }
  return out;
}

SweepRounds::SweepRounds(std::vector<std::vector<SweepKernel>> kernels, std::int64_t runs,
                         std::vector<double> stretches, Run run)
    : kernels_(std::move(kernels)),
      runs_(runs),
      stretches_(std::move(stretches)),
      run_(std::move(run)) {}

void SweepRounds::add(std::size_t point, std::int64_t process, Found& found, const Watch& watch) {
  const auto merge = [&] {
    const std::string document = run_(point, process, watch);
    if (!watch.stopped()) merge_rows(document, kernels_[point], found.rows);
  };
  if (process == 0) {
    try {
      merge();
    } catch (...) {
      found.error = std::current_exception();
      found.has_ended = true;
    }
  } else if (const auto [status, reason] = outcome_of(merge); status != "ok") {
    found.has_ended = true;
    for (SweepRow& row : found.rows) {
      if (row.status != "ok") continue;
      row.status = "failed";
      row.reason =
          fmt::format("{}; {} of {} processes were measured before", reason, process, runs_);
    }
  }
}

std::vector<SweepRow> SweepRounds::rows(std::size_t point, Watch& watch) {
  if (!found_.contains(point)) {
    std::size_t end = point + 1;
    while (end < stretches_.size() && stretches_[end] == 0) ++end;
    const double all = static_cast<double>(runs_) * static_cast<double>(end - point);
    double done = 0;
    for (std::int64_t process = 0; process < runs_; ++process) {
      for (std::size_t i = point; i < end; ++i) {
        if (watch.stopped()) return {};
        if (Found& found = found_[i]; !found.has_ended) add(i, process, found, watch);
        watch.progress(++done / all);
      }
    }
  }
  const Found found = std::move(found_.extract(point).mapped());
  if (found.error) std::rethrow_exception(found.error);
  return found.rows;
}

}  // namespace attnlab
