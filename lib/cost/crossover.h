// The sequence length from which attention costs more multiply-adds than linear work.
#ifndef ATTNLAB_COST_CROSSOVER_H_
#define ATTNLAB_COST_CROSSOVER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cost/layer.h"

namespace attnlab {

struct LayerGroup {
  std::int64_t layers = 1;
  LayerShape shape;
};

enum class LinearWork { kProjections, kProjectionsAndFeedForward };

// The real n = nq = nk at which the attention of all layers first equals their linear work, pairs
// continued to real numbers. No value, and the reason, where it never does.
struct Crossover {
  std::optional<double> n;
  std::string reason;
};
Crossover crossover(std::span<const LayerGroup> groups, LinearWork work);

}  // namespace attnlab

#endif  // ATTNLAB_COST_CROSSOVER_H_
