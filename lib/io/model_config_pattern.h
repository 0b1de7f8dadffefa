// Which layers of a model attend, and how far: from lists of layer types, patterns, periods.
#ifndef ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_
#define ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/pairs.h"
#include "io/model_config_block.h"

namespace attnlab {

enum class Mixer { kFull, kSliding, kChunked, kCross, kNone };
enum class FeedForwardKind { kUsual, kNone, kDense, kExperts };

// What one layer is before its sizes are known.
struct LayerKind {
  Mixer mixer = Mixer::kFull;
  std::string name = "full_attention";
  Reach reach{};
  FeedForwardKind ffn = FeedForwardKind::kUsual;
};

// One kind a layer. `type` is the model type, for what no key says; a tower's windows are laid over
// images, not over a sequence, and are left out.
std::vector<LayerKind> layer_kinds(const ConfigBlock& block, std::size_t layers,
                                   const std::string& type, bool is_tower);

// The length of the list of layer types, where there is one: a file may leave the count to it.
std::optional<std::size_t> listed_layers(const ConfigBlock& block);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_
