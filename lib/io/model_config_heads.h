// Reads the heads of a stack's attention: how many, of which sizes, latent or not.
#ifndef ATTNLAB_IO_MODEL_CONFIG_HEADS_H_
#define ATTNLAB_IO_MODEL_CONFIG_HEADS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cost/layer.h"
#include "io/model_config_block.h"
#include "io/model_config_defaults.h"
#include "io/model_config_stack.h"

namespace attnlab {

// One value a layer, whether the layer attends or not.
struct HeadSizes {
  std::vector<std::int64_t> heads, kv_heads, head_dim, head_dim_v;
  std::optional<LatentShape> latent{};
  std::int64_t query_rank = 0;
};
HeadSizes read_heads(const ConfigBlock& block, std::int64_t width, std::size_t layers,
                     const StackOptions& options);

// What is known of the sizes of a nested block's model type; nullptr when the block is not nested.
const TypeSizes* defaults_of(const ConfigBlock& block, const StackOptions& options);
// The file's value, else the type's default (0: none), else the nesting block's; MissingKey if
// none.
std::int64_t required_count(const ConfigBlock& block, KeyNames names, std::int64_t fallback,
                            const StackOptions& options);
void note_default(const ConfigBlock& block, std::string_view key, std::int64_t value,
                  const StackOptions& options);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_HEADS_H_
