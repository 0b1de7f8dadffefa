// What the rows of `sweep` will take, known before anything is allocated or run:
// multiply-adds, bytes by formula, seconds from a rate; and what the limits say of it.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_ESTIMATE_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_ESTIMATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention/layer.h"
#include "experiments/experiment.h"
#include "experiments/sweep_settings.h"

namespace attnlab {

// The layer around a point's attention, for scopes module and block.
LayerProblem layer_problem(const SweepSettings& settings, const SweepPoint& point);

// Multiply-adds of one call: of a whole generation in phase generate. nullopt past 2^63 - 1. Work
// of O(heads n) for strided and bigbird, whose pairs are counted row by row.
std::optional<std::int64_t> sweep_macs(const SweepSettings& settings, const SweepPoint& point,
                                       Operator op);

// Rows that are checked: all of them up to 512 queries, else 64 by seed, the first and the last
// among them. Ascending.
std::vector<std::int64_t> checked_rows(std::int64_t queries, std::uint64_t seed);

// What a kernel's row will take.
struct SweepNeed {
  std::string why_not;  // absent, or without support for the problem; all else is then 0
  std::int64_t macs = 0;
  std::int64_t workspace_bytes = 0;  // by the kernel's formula (and the layer's, and the cache's)
  double seconds = 0;                // of the row, by a typical rate of such a kernel
};

// What the rows of a point will take: counted once, because pairs are many.
struct SweepNeeds {
  std::int64_t operand_bytes = 0;  // of inputs (weights too) and output
  double shared_bytes = 0;         // those, and what the check takes
  std::vector<SweepNeed> kernels;
};
SweepNeeds sweep_needs(const SweepSettings& settings, const SweepPoint& point,
                       const std::vector<SweepKernel>& kernels);

// Seconds of a row whose call takes that long: warm-up, check and samples of every run.
double row_seconds(const SweepSettings& settings, double call_seconds);

struct SweepLimits {
  double bytes, seconds;
};

// One part a kernel, with its status by itself: skipped where it cannot run or takes too long,
// refused where it needs too much memory.
std::vector<PointPart> sweep_parts(const std::vector<SweepKernel>& kernels, const SweepNeeds& needs,
                                   const SweepLimits& limits);

// All kernels that are "ok" are held at once: while they need too much memory together, the one
// with the largest workspace is refused.
void refuse_together(const SweepNeeds& needs, double allowed_bytes, std::vector<PointPart>& parts);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_ESTIMATE_H_
