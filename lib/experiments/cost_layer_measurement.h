// Times the parts of one layer type at one length against each other: linear work through BLAS,
// attention in three steps and fused, and the step that generates one token.
#ifndef ATTNLAB_EXPERIMENTS_COST_LAYER_MEASUREMENT_H_
#define ATTNLAB_EXPERIMENTS_COST_LAYER_MEASUREMENT_H_

#include <memory>
#include <string>
#include <vector>

#include "experiments/cost_linear_parts.h"
#include "experiments/cost_measure.h"
#include "experiments/sweep_estimate.h"
#include "measure/sampler.h"

namespace attnlab {

// Why a layer type is counted only; "" if it is measured.
std::string why_not_measured(const LayerType& type);
// Whether it takes part in generating tokens from a cache.
bool generates(const LayerType& type);

// Memory for its measurement at a point, and FLOPs of one round through all parts.
double measurement_bytes(const LayerType& type, const CostPoint& at, int threads);
double measurement_flops(const LayerType& type, const CostPoint& at);

// One timed part and what it does.
struct TimedPart {
  std::string name, kernel;
  double macs = 0, bytes = 0;     // bytes: operands read once, results written once
  std::vector<double> samples{};  // seconds a call
  double peak = 0;                // FLOP/s of the probe beside it
};

class LayerMeasurement {
 public:
  // Throws RunError without memory.
  LayerMeasurement(const CostMeasureSettings& settings, const LayerType& type, const CostPoint& at,
                   RunContext& context);

  // Both append parts in turns timed, and return what is wrong with a result; "" if nothing is.
  // All queries: projections, ffn, attention (three steps), contractions (those without the
  // softmax), fused, and softmax: attention less contractions, round by round.
  std::string prefill(std::vector<TimedPart>& out);
  // One token a sequence after the cached ones: attention, linear, and read, a loop that only
  // reads the same keys and values, where they are large enough for it.
  std::string decode(std::vector<TimedPart>& out);

 private:
  double bytes_of_parts(std::initializer_list<std::string_view> names) const;
  void sample(const std::vector<Subject>& subjects, std::vector<TimedPart>& parts);

  const CostMeasureSettings& settings_;
  const LayerType& type_;
  const CostPoint& at_;
  ThreadTeam& team_;
  Watch& watch_;
  Extent extent_;
  LayerCost cost_;
  LinearParts linear_;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_COST_LAYER_MEASUREMENT_H_
