#include "io/model_config_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "io/model_config_defaults.h"
#include "io/model_config_keys.h"
#include "io/model_config_words.h"

namespace attnlab {
namespace {

constexpr std::string_view kWindowsOfAll[] = {"sliding_window", "sliding_window_size",
                                              "attention_window_size", "attn_window_size"};

using IsChosen = std::function<bool(std::size_t)>;

std::vector<LayerKind> chosen(std::size_t layers, const LayerKind& yes, const LayerKind& no,
                              const IsChosen& is_chosen) {
  std::vector<LayerKind> out;
  for (std::size_t i = 0; i < layers; ++i) out.push_back(is_chosen(i) ? yes : no);
  return out;
}

// Lists of layer numbers, or of one 0 or 1 a layer.
std::optional<std::vector<LayerKind>> kinds_of_numbers(const ConfigBlock& block,
                                                       std::size_t layers) {
  const auto most = static_cast<std::int64_t>(layers);
  struct Rule {
    std::string_view key;
    std::int64_t first;  // the number of the first layer
    LayerKind listed, others;
  };
  const LayerKind cross{Mixer::kCross, "cross_attention", {}, FeedForwardKind::kUsual};
  const Rule rules[] = {{"attn_layer_indices", 0, any_attention(), no_attention("mamba")},
                        {"attn_layer_idx", 0, any_attention(), no_attention("mamba")},
                        {"full_attn_layers", 1, any_attention(), no_attention("linear_attention")},
                        {"full_attn_idxs", 0, full_attention(), no_attention("conv")},
                        {"global_attn_idx", 0, full_attention(), sliding_attention()},
                        {"sliding_window_layers", 0, sliding_attention(), full_attention()},
                        {"cross_attention_layers", 0, cross, full_attention()}};
  for (const Rule& rule : rules) {
    std::optional<ConfigBlock> inner;
    if (rule.key == "full_attn_layers") inner = block.child("linear_attn_config");
    const ConfigBlock& source = inner ? *inner : block;
    const auto numbers = source.list(rule.key, rule.first, most - 1 + rule.first);
    if (!numbers) continue;
    return chosen(layers, rule.listed, rule.others, [&](std::size_t i) {
      return std::find(numbers->begin(), numbers->end(),
                       static_cast<std::int64_t>(i) + rule.first) != numbers->end();
    });
  }
  if (const auto flags = block.list("hybrid_layer_pattern", 0, 1)) {  // 1: a window
    if (flags->size() == layers) {
      return chosen(layers, sliding_attention(), full_attention(),
                    [&](std::size_t i) { return (*flags)[i] == 1; });
    }
    block.refuse(block.key_path("hybrid_layer_pattern"), "has not one number a layer", "");
  }
  if (const auto flags = block.list("attn_type_list", 0, 1)) {  // 1: softmax attention
    if (flags->size() == layers) {
      return chosen(layers, any_attention(), no_attention("linear_attention"),
                    [&](std::size_t i) { return (*flags)[i] == 1; });
    }
    block.refuse(block.key_path("attn_type_list"), "has not one number a layer", "");
  }
  return std::nullopt;
}

// One attention layer in each period, the others something without.
std::optional<std::vector<LayerKind>> kinds_of_periods(const ConfigBlock& block,
                                                       std::size_t layers) {
  if (const auto period = block.count("attn_layer_period", 1, kMostLayers)) {
    const auto offset = block.count("attn_layer_offset", 0, kMostLayers).value_or(0);
    return chosen(layers, any_attention(), no_attention("mamba"),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *period == offset; });
  }
  if (const auto step = block.count("mamba_step", 1, kMostLayers)) {  // PLaMo 2
    return chosen(layers, any_attention(), no_attention("mamba"),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *step == *step / 2; });
  }
  if (const auto step = block.count("mb_per_layer", 1, kMostLayers)) {  // Phi-4-mini-flash
    return chosen(layers, any_attention(), no_attention("mamba"),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *step != 0; });
  }
  for (const std::string_view key : {"full_attention_interval", "layer_group_size"}) {
    if (const auto period = block.count(key, 1, kMostLayers)) {
      return chosen(layers, any_attention(), no_attention("linear_attention"), [&](std::size_t i) {
        return (static_cast<std::int64_t>(i) + 1) % *period == 0;
      });
    }
  }
  return std::nullopt;
}

// Block by block, as architecture search writes it: {"attention": {...}, "ffn": {...}}.
std::optional<std::vector<LayerKind>> kinds_of_blocks(const ConfigBlock& block,
                                                      std::size_t layers) {
  const auto found = block.find("block_configs");
  if (!found || !found->value->is_array()) return std::nullopt;
  if (found->value->size() != layers) {
    block.refuse(found->key,
                 fmt::format("has {} blocks for {} layers", found->value->size(), layers),
                 "give one for each layer");
  }
  std::vector<LayerKind> out;
  for (std::size_t i = 0; i < layers; ++i) {
    const Json& one = (*found->value)[i];
    const std::string key = child_place(found->key, i);
    if (!one.is_object()) block.refuse(key, shown(one) + " is not an object", "");
    const ConfigBlock here(one, block.file(), key + ".", block.notes());
    LayerKind kind;
    if (const auto attention = here.child("attention")) {
      if (attention->quiet_flag("no_op")) kind = no_attention("no_attention");
      if (attention->quiet_flag("replace_with_linear")) kind = no_attention("linear_layer");
      if (kind.mixer == Mixer::kFull && attention->has("window_length")) {
        kind = sliding_attention();
        kind.reach.window = attention->count("window_length");
      }
    }
    if (const auto ffn = here.child("ffn"); ffn && ffn->quiet_flag("no_op")) {
      kind.ffn = FeedForwardKind::kNone;
    }
    out.push_back(kind);
  }
  block.notes().add(NoteKind::kRead, found->key, fmt::format("{} blocks", layers), "");
  return out;
}

// Where windows are known to be: which of the layers attend to everything.
std::vector<LayerKind> kinds_of_windows(const ConfigBlock& block, std::size_t layers,
                                        const std::string& type) {
  const auto every = [&](std::int64_t period) {
    return chosen(layers, full_attention(), sliding_attention(), [period](std::size_t i) {
      return (static_cast<std::int64_t>(i) + 1) % period == 0;
    });
  };
  for (const std::string_view key :
       {"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}) {
    if (const auto letters = block.text(key)) {  // "LLLG": local, local, local, global
      if (letters->empty()) block.refuse(block.key_path(key), "is empty", "");
      return chosen(layers, full_attention(), sliding_attention(), [&](std::size_t i) {
        return std::toupper(static_cast<unsigned char>((*letters)[i % letters->size()])) == 'G';
      });
    }
    if (const auto period = block.count(key, 1, kMostLayers)) return every(*period);
  }
  if (const auto first = block.count("max_window_layers", 0, kMostLayers)) {
    return chosen(layers, sliding_attention(), full_attention(),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) >= *first; });
  }
  if (const auto period = window_period_of_type(type)) {
    block.notes().add(
        NoteKind::kAssumed, block.key_path("layer_types"), fmt::format("1 of {} full", *period),
        fmt::format("known of model type {}: of {} layers the last attends to all", type, *period));
    return every(*period);
  }
  return std::vector<LayerKind>(layers, sliding_attention());
}

// Rotary layers attend within chunks, every fourth layer, without rotation, to everything.
std::vector<LayerKind> kinds_of_chunks(const ConfigBlock& block, std::size_t layers,
                                       const std::string& type) {
  const auto flags = block.list("no_rope_layers", 0, 1);
  if (flags && !flags->empty()) {
    if (flags->size() != layers) {
      block.refuse(block.key_path("no_rope_layers"), "has not one number a layer", "");
    }
    return chosen(layers, chunked_attention(), full_attention(),
                  [&](std::size_t i) { return (*flags)[i] == 1; });
  }
  constexpr std::string_view kIntervals[] = {"no_rope_layer_interval", "nope_layer_interval"};
  auto interval = block.count(KeyNames(kIntervals), 1, kMostLayers);
  if (!interval && has_chunked_layers(type)) {
    interval = 4;
    block.notes().add(NoteKind::kAssumed, block.key_path("no_rope_layers"), "every 4th full",
                      "known of model type " + type);
  }
  if (interval) {
    return chosen(layers, full_attention(), chunked_attention(), [&](std::size_t i) {
      return (static_cast<std::int64_t>(i) + 1) % *interval == 0;
    });
  }
  block.notes().add(NoteKind::kAssumed, block.key_path("layer_types"), "all chunked",
                    "attention_chunk_size without a key that says which layers have it");
  return std::vector<LayerKind>(layers, chunked_attention());
}

// Whether the model's attention has windows; with compress_ratios it looks beyond them.
bool has_window(const ConfigBlock& block, const std::string& type) {
  const auto uses = block.flag("use_sliding_window");
  if (block.has("compress_ratios") || !block.has(KeyNames(kWindowsOfAll))) return false;
  if (!uses && block.is_nested() && (type.starts_with("qwen2") || type.starts_with("qwen3"))) {
    block.notes().add(NoteKind::kAssumed, block.key_path("use_sliding_window"), "false",
                      "absent: default of model type " + type);
    return false;
  }
  return uses.value_or(true);
}

std::vector<LayerKind> kinds_by_rule(const ConfigBlock& block, std::size_t layers,
                                     const std::string& type) {
  if (auto kinds = kinds_of_blocks(block, layers)) return *kinds;
  if (const auto listed = listed_words(block)) return kinds_of_words(block, *listed, layers);
  if (auto kinds = kinds_of_numbers(block, layers)) return *kinds;
  if (auto kinds = kinds_of_periods(block, layers)) return *kinds;
  if (const auto period = block.count("global_attn_every_n_layers", 1, kMostLayers)) {
    return chosen(layers, full_attention(), sliding_attention(),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *period == 0; });
  }
  // Two-sided windows of W places, a number or one a layer.
  constexpr std::string_view kTwoSided[] = {"attention_window"};
  if (block.has(KeyNames(kTwoSided))) return std::vector<LayerKind>(layers, sliding_attention());
  if (has_window(block, type)) return kinds_of_windows(block, layers, type);
  if (block.has("attention_chunk_size")) return kinds_of_chunks(block, layers, type);
  return std::vector<LayerKind>(layers);
}

}  // namespace

std::vector<LayerKind> layer_kinds(const ConfigBlock& block, std::size_t layers,
                                   const std::string& type, bool is_tower) {
  if (is_tower) return std::vector<LayerKind>(layers);
  std::vector<LayerKind> kinds = kinds_by_rule(block, layers, type);
  for (LayerKind& kind : kinds) {
    if (kind.name != "attention") continue;
    const FeedForwardKind ffn = kind.ffn;
    kind = has_window(block, type) ? sliding_attention() : full_attention();
    kind.ffn = ffn;
  }
  return kinds;
}

}  // namespace attnlab
