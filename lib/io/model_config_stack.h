// Reads a stack of layers (a decoder, an encoder, a tower) into one shape a layer.
#ifndef ATTNLAB_IO_MODEL_CONFIG_STACK_H_
#define ATTNLAB_IO_MODEL_CONFIG_STACK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/model.h"
#include "io/model_config_block.h"
#include "io/model_config_pattern.h"

namespace attnlab {

struct StackLayer {
  std::string name;
  LayerShape shape;
};

struct StackOptions {
  std::string type;  // the model type, "" if unknown
  bool is_tower = false;
  const ConfigBlock* outer = nullptr;  // the block that nests this one, for what neither it nor
                                       // its type says
};

struct Stack {
  std::int64_t width = 0;
  std::vector<StackLayer> layers;
};
Stack read_stack(const ConfigBlock& block, const StackOptions& options);

// The feed-forward layers, one a layer, of model width `width`.
std::vector<FeedForwardShape> read_feed_forward(const ConfigBlock& block, std::int64_t width,
                                                const std::vector<LayerKind>& kinds,
                                                const StackOptions& options);

// Equal layers together, in the order of their first, with names that tell them apart.
std::vector<LayerType> layer_types(const std::vector<StackLayer>& layers);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_STACK_H_
