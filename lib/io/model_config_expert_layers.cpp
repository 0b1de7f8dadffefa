#include "io/model_config_expert_layers.h"

#include <algorithm>
#include <functional>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

using Sizes = std::vector<std::int64_t>;
using Rule = std::function<bool(std::int64_t)>;

std::vector<bool> where(std::size_t layers, const Rule& rule) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < layers; ++i) out.push_back(rule(static_cast<std::int64_t>(i)));
  return out;
}
bool holds(const Sizes& numbers, std::int64_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::vector<bool> expert_layers_by_period(const ConfigBlock& block, std::size_t layers) {
  if (const auto period = block.count("expert_layer_period", 1, kMostLayers)) {
    const auto offset = block.count("expert_layer_offset", 0, kMostLayers).value_or(0);
    return where(layers, [&](std::int64_t i) { return i % *period == offset; });
  }
  constexpr std::string_view kSteps[] = {"decoder_sparse_step", "encoder_sparse_step",
                                         "interleave_moe_layer_step", "moe_layer_frequency"};
  Sizes dense_ones;
  if (const auto numbers = block.list("mlp_only_layers", 0, kMostLayers)) dense_ones = *numbers;
  if (const auto step = block.count(KeyNames(kSteps), 1, kMostLayers)) {
    return where(layers,
                 [&](std::int64_t i) { return (i + 1) % *step == 0 && !holds(dense_ones, i); });
  }
  constexpr std::string_view kFirst[] = {"first_k_dense_replace", "moe_layer_start_index",
                                         "moe_layer_num_skipped", "num_dense_layers"};
  const auto first = block.count(KeyNames(kFirst), 0, kMostLayers).value_or(0);
  const auto last = block.count("moe_layer_end_index", 0, kMostLayers).value_or(kMostLayers);
  const auto every = block.count("moe_layer_freq", 1, kMostLayers).value_or(1);
  const auto interval = block.count("moe_layer_interval", 1, kMostLayers).value_or(1);
  return where(layers, [&](std::int64_t i) {
    return i >= first && i <= last && i % every == 0 && (i + 1) % interval == 0 &&
           !holds(dense_ones, i);
  });
}

}  // namespace

std::vector<bool> expert_layers(const ConfigBlock& block, const std::vector<LayerKind>& kinds) {
  const std::size_t layers = kinds.size();
  const bool is_listed = std::any_of(kinds.begin(), kinds.end(), [](const LayerKind& kind) {
    return kind.ffn == FeedForwardKind::kExperts || kind.ffn == FeedForwardKind::kDense;
  });
  if (is_listed) {
    return where(layers, [&](std::int64_t i) {
      return kinds[static_cast<std::size_t>(i)].ffn == FeedForwardKind::kExperts;
    });
  }
  if (const auto words = block.words("mlp_layer_types")) {
    if (words->size() != layers) {
      block.refuse(block.key_path("mlp_layer_types"), "has not one word a layer", "");
    }
    return where(layers,
                 [&](std::int64_t i) { return (*words)[static_cast<std::size_t>(i)] != "dense"; });
  }
  if (const auto found = block.find("moe_layer_freq"); found && found->value->is_array()) {
    const auto flags = block.list("moe_layer_freq", 0, 1);
    if (flags->size() != layers) block.refuse(found->key, "has not one number a layer", "");
    return where(layers,
                 [&](std::int64_t i) { return (*flags)[static_cast<std::size_t>(i)] == 1; });
  }
  if (const auto listed = block.text("moe_layers_enum")) {  // "3,4,5"
    Sizes numbers;
    for (const std::string& piece : split(*listed, ',')) {
      const auto number = integer_from_text(piece);
      if (!number) block.refuse(block.key_path("moe_layers_enum"), "is no list of numbers", "");
      numbers.push_back(*number);
    }
    return where(layers, [&](std::int64_t i) { return holds(numbers, i); });
  }
  if (const auto found = block.find("moe_layers"); found && found->value->is_array()) {
    const auto numbers = block.list("moe_layers", 0, kMostLayers);
    return where(layers, [&](std::int64_t i) { return holds(*numbers, i); });
  }
  return expert_layers_by_period(block, layers);
}

}  // namespace attnlab
