// What a kernel's row of `sweep` will take, known before anything is allocated or run:
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
LayerShape layer_shape(const SweepSettings& settings, const SweepPoint& point);

// Multiply-adds of one call: of a whole generation in phase generate. nullopt past 2^63 - 1.
std::optional<std::int64_t> sweep_macs(const SweepSettings& settings, const SweepPoint& point,
                                       Operator op);

// Bytes of workspace by the kernel's formula (and the layer's, and the cache's).
std::int64_t sweep_workspace(const SweepSettings& settings, const SweepPoint& point,
                             const Kernel& kernel);

// Bytes of inputs (weights too) and output.
std::int64_t sweep_operand_bytes(const SweepSettings& settings, const SweepPoint& point);

// Rows that are checked: all of them up to 512 queries, else 64 by seed, the first and the last
// among them. Ascending.
std::vector<std::int64_t> checked_rows(std::int64_t queries, std::uint64_t seed);

// Why a kernel cannot run a point ("" if it can): it is absent, or does not support the problem.
std::string why_not(const SweepSettings& settings, const SweepPoint& point,
                    const SweepKernel& kernel);

// Seconds of one call from the multiply-adds and a typical rate of such a kernel.
double typical_seconds(const SweepSettings& settings, const SweepPoint& point,
                       const Kernel& kernel);
// Seconds of a row whose call takes that long: warm-up, check and samples of every run.
double row_seconds(const SweepSettings& settings, double call_seconds);

struct SweepLimits {
  double bytes, seconds;
};

// One part a kernel, with its status: skipped where it cannot run or takes too long, refused where
// it needs too much memory, alone or together with the others, of which the largest goes first.
std::vector<PointPart> sweep_parts(const SweepSettings& settings, const SweepPoint& point,
                                   const std::vector<SweepKernel>& kernels,
                                   const SweepLimits& limits);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_ESTIMATE_H_
