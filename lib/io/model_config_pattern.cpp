#include "io/model_config_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "io/model_config_defaults.h"
#include "io/model_config_keys.h"

namespace attnlab {
namespace {

constexpr std::string_view kTypeLists[] = {
    "layer_types",      "layers_block_type", "layer_block_type",     "block_types",
    "attention_layers", "attn_layers",       "layers_type",          "mixer_types",
    "attention_types",  "layer_type_list",   "attention_layer_types"};

constexpr std::string_view kWindowsOfAll[] = {"sliding_window", "sliding_window_size",
                                              "attention_window_size", "attn_window_size"};

LayerKind full() { return {}; }
// Attention of whatever reach the model's attention has.
LayerKind attention() { return {Mixer::kFull, "attention", {}, FeedForwardKind::kUsual}; }
LayerKind sliding() { return {Mixer::kSliding, "sliding_attention", {}, FeedForwardKind::kUsual}; }
LayerKind chunked() { return {Mixer::kChunked, "chunked_attention", {}, FeedForwardKind::kUsual}; }
LayerKind without(std::string name) {
  return {Mixer::kNone, std::move(name), {}, FeedForwardKind::kUsual};
}

bool contains_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// The kind that a layer type's name stands for.
std::optional<LayerKind> kind_of_word(const std::string& word) {
  std::string low = word;
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (low == "m") return without("mamba");
  if (low == "a" || low == "*" || low == "attention" || low == "attn") return attention();
  if (low == "moe" || low == "e") {
    LayerKind out = without("experts_only");
    out.ffn = FeedForwardKind::kExperts;
    return out;
  }
  if (low == "mlp" || low == "ffn" || low == "-" || low == "feed_forward") {
    LayerKind out = without("feed_forward_only");
    out.ffn = FeedForwardKind::kDense;
    return out;
  }
  if (contains_any(
          low, {"linear", "mamba", "ssm", "recurrent", "conv", "rwkv", "lightning", "delta", "gdn",
                "kda", "lstm", "rglru", "no_op", "noop", "identity", "gla"})) {
    return without(low == "noop" ? "no_op" : low);
  }
  if (contains_any(low, {"sliding", "local", "window", "swa"})) return sliding();
  if (contains_any(low, {"chunk"})) return chunked();
  if (contains_any(low, {"cross"})) {
    return LayerKind{Mixer::kCross, "cross_attention", {}, FeedForwardKind::kUsual};
  }
  // "hybrid": a shared attention block beside a recurrent one.
  if (contains_any(low, {"full", "global", "attention", "attn", "dense", "softmax", "self", "lsh",
                         "hybrid", "sparse"})) {
    return full();
  }
  return std::nullopt;
}

// GPT-Neo writes [[["global", "local"], 12]]: each list of words as often as the number says.
std::optional<std::vector<std::string>> repeated_words(const ConfigBlock& block,
                                                       std::string_view name) {
  const auto found = block.find(name);
  if (!found || !found->value->is_array() || found->value->empty()) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& pair : *found->value) {
    const bool good = pair.is_array() && pair.size() == 2 && pair[0].is_array() &&
                      pair[1].is_number_integer() && pair[1].get<double>() >= 0 &&
                      pair[1].get<double>() <= static_cast<double>(kMostLayers);
    if (!good) return std::nullopt;
    for (std::int64_t i = pair[1].get<std::int64_t>(); i > 0; --i) {
      for (const Json& word : pair[0]) {
        if (!word.is_string()) return std::nullopt;
        out.push_back(word.get<std::string>());
      }
      if (out.size() > static_cast<std::size_t>(kMostLayers)) return std::nullopt;
    }
  }
  block.notes().add(NoteKind::kRead, found->key, shown(*found->value), "");
  return out;
}

struct Words {
  std::string key;
  std::vector<std::string> words;
};

std::optional<Words> listed_words(const ConfigBlock& block) {
  for (const std::string_view name : kTypeLists) {
    if (auto words = repeated_words(block, name)) return Words{block.key_path(name), *words};
    const auto found = block.find(name);
    if (!found || !found->value->is_array() || found->value->empty()) continue;
    return Words{block.key_path(name), *block.words(name)};
  }
  // Nemotron-H: one letter a layer, M Mamba, * attention, - feed-forward, E experts.
  if (const auto pattern = block.text("hybrid_override_pattern")) {
    Words out{block.key_path("hybrid_override_pattern"), {}};
    for (const char letter : *pattern) {
      if (letter != '|') out.words.emplace_back(1, letter);
    }
    return out;
  }
  return std::nullopt;
}

bool has_hybrids(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "hybrid") != words.end();
}

std::vector<LayerKind> kinds_of_words(const ConfigBlock& block, const Words& listed,
                                      std::size_t layers) {
  const bool repeats = listed.key.ends_with("block_types") && listed.words.size() < layers;
  if (!repeats && listed.words.size() != layers) {
    block.refuse(listed.key,
                 fmt::format("names {} layers, the model has {}", listed.words.size(), layers),
                 "give one type for each layer");
  }
  std::vector<LayerKind> out;
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string& word = listed.words[i % listed.words.size()];
    const auto kind = kind_of_word(word);
    if (!kind) {
      block.refuse(listed.key, fmt::format("{} is no layer type known here", printable(word)),
                   "known are full, sliding, chunked, linear and cross attention, mamba and more");
    }
    out.push_back(*kind);
  }
  // Where feed-forward parts are layers of their own, or belong to the hybrid ones, the other
  // layers have none.
  const bool has_own = std::any_of(out.begin(), out.end(), [](const LayerKind& kind) {
    return kind.ffn != FeedForwardKind::kUsual;
  });
  for (std::size_t i = 0; i < layers; ++i) {
    const bool is_usual = out[i].ffn == FeedForwardKind::kUsual;
    const bool is_beside_hybrids = has_hybrids(listed.words) && out[i].mixer == Mixer::kNone;
    if (is_usual && (has_own || is_beside_hybrids)) out[i].ffn = FeedForwardKind::kNone;
  }
  return out;
}

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
  const Rule rules[] = {{"attn_layer_indices", 0, attention(), without("mamba")},
                        {"attn_layer_idx", 0, attention(), without("mamba")},
                        {"full_attn_layers", 1, attention(), without("linear_attention")},
                        {"full_attn_idxs", 0, full(), sliding()},
                        {"global_attn_idx", 0, full(), sliding()},
                        {"sliding_window_layers", 0, sliding(), full()},
                        {"cross_attention_layers", 0, cross, full()}};
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
      return chosen(layers, sliding(), full(), [&](std::size_t i) { return (*flags)[i] == 1; });
    }
    block.refuse(block.key_path("hybrid_layer_pattern"), "has not one number a layer", "");
  }
  if (const auto flags = block.list("attn_type_list", 0, 1)) {  // 1: softmax attention
    if (flags->size() == layers) {
      return chosen(layers, attention(), without("linear_attention"),
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
    return chosen(layers, attention(), without("mamba"),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *period == offset; });
  }
  for (const std::string_view key : {"full_attention_interval", "layer_group_size"}) {
    if (const auto period = block.count(key, 1, kMostLayers)) {
      return chosen(layers, attention(), without("linear_attention"), [&](std::size_t i) {
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
      if (attention->quiet_flag("no_op")) kind = without("no_attention");
      if (attention->quiet_flag("replace_with_linear")) kind = without("linear_layer");
      if (kind.mixer == Mixer::kFull && attention->has("window_length")) {
        kind = sliding();
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
    return chosen(layers, full(), sliding(), [period](std::size_t i) {
      return (static_cast<std::int64_t>(i) + 1) % period == 0;
    });
  };
  for (const std::string_view key :
       {"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}) {
    if (const auto letters = block.text(key)) {  // "LLLG": local, local, local, global
      if (letters->empty()) block.refuse(block.key_path(key), "is empty", "");
      return chosen(layers, full(), sliding(), [&](std::size_t i) {
        return std::toupper(static_cast<unsigned char>((*letters)[i % letters->size()])) == 'G';
      });
    }
    if (const auto period = block.count(key, 1, kMostLayers)) return every(*period);
  }
  if (const auto first = block.count("max_window_layers", 0, kMostLayers)) {
    return chosen(layers, sliding(), full(),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) >= *first; });
  }
  if (const auto period = window_period_of_type(type)) {
    block.notes().add(
        NoteKind::kAssumed, block.key_path("layer_types"), fmt::format("1 of {} full", *period),
        fmt::format("known of model type {}: of {} layers the last attends to all", type, *period));
    return every(*period);
  }
  return std::vector<LayerKind>(layers, sliding());
}

// Rotary layers attend within chunks, every fourth layer, without rotation, to everything.
std::vector<LayerKind> kinds_of_chunks(const ConfigBlock& block, std::size_t layers,
                                       const std::string& type) {
  const auto flags = block.list("no_rope_layers", 0, 1);
  if (flags && !flags->empty()) {
    if (flags->size() != layers) {
      block.refuse(block.key_path("no_rope_layers"), "has not one number a layer", "");
    }
    return chosen(layers, chunked(), full(), [&](std::size_t i) { return (*flags)[i] == 1; });
  }
  constexpr std::string_view kIntervals[] = {"no_rope_layer_interval", "nope_layer_interval"};
  auto interval = block.count(KeyNames(kIntervals), 1, kMostLayers);
  if (!interval && has_chunked_layers(type)) {
    interval = 4;
    block.notes().add(NoteKind::kAssumed, block.key_path("no_rope_layers"), "every 4th full",
                      "known of model type " + type);
  }
  if (interval) {
    return chosen(layers, full(), chunked(), [&](std::size_t i) {
      return (static_cast<std::int64_t>(i) + 1) % *interval == 0;
    });
  }
  block.notes().add(NoteKind::kAssumed, block.key_path("layer_types"), "all chunked",
                    "attention_chunk_size without a key that says which layers have it");
  return std::vector<LayerKind>(layers, chunked());
}

// Whether the model's attention has windows; with compress_ratios it looks beyond them.
bool has_window(const ConfigBlock& block) {
  if (block.has("compress_ratios")) return false;
  return block.flag("use_sliding_window").value_or(true) && block.has(KeyNames(kWindowsOfAll));
}

std::vector<LayerKind> kinds_by_rule(const ConfigBlock& block, std::size_t layers,
                                     const std::string& type) {
  if (auto kinds = kinds_of_blocks(block, layers)) return *kinds;
  if (const auto listed = listed_words(block)) return kinds_of_words(block, *listed, layers);
  if (auto kinds = kinds_of_numbers(block, layers)) return *kinds;
  if (auto kinds = kinds_of_periods(block, layers)) return *kinds;
  if (const auto period = block.count("global_attn_every_n_layers", 1, kMostLayers)) {
    return chosen(layers, full(), sliding(),
                  [&](std::size_t i) { return static_cast<std::int64_t>(i) % *period == 0; });
  }
  // Two-sided windows of W places, a number or one a layer.
  constexpr std::string_view kTwoSided[] = {"attention_window"};
  if (block.has(KeyNames(kTwoSided))) return std::vector<LayerKind>(layers, sliding());
  if (has_window(block)) return kinds_of_windows(block, layers, type);
  if (block.has("attention_chunk_size")) return kinds_of_chunks(block, layers, type);
  return std::vector<LayerKind>(layers);
}

}  // namespace

std::optional<std::size_t> listed_layers(const ConfigBlock& block) {
  const auto listed = listed_words(block);
  return listed ? std::optional(listed->words.size()) : std::nullopt;
}

std::vector<LayerKind> layer_kinds(const ConfigBlock& block, std::size_t layers,
                                   const std::string& type, bool is_tower) {
  if (is_tower) return std::vector<LayerKind>(layers);
  std::vector<LayerKind> kinds = kinds_by_rule(block, layers, type);
  for (LayerKind& kind : kinds) {
    if (kind.name != "attention") continue;
    const FeedForwardKind ffn = kind.ffn;
    kind = has_window(block) ? sliding() : full();
    kind.ffn = ffn;
  }
  return kinds;
}

}  // namespace attnlab
