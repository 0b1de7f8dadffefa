#include "io/model_config_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::string_view kTypeLists[] = {
    "layer_types",      "layers_block_type", "layer_block_type",     "block_types",
    "attention_layers", "attn_layers",       "layers_type",          "mixer_types",
    "attention_types",  "layer_type_list",   "attention_layer_types"};

bool contains_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// The kind that a layer type's name stands for.
std::optional<LayerKind> kind_of_word(const std::string& word) {
  std::string low = word;
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (low == "m") return no_attention("mamba");
  if (low == "a" || low == "*" || low == "attention" || low == "attn") return any_attention();
  if (low == "moe" || low == "e") {
    LayerKind out = no_attention("experts_only");
    out.ffn = FeedForwardKind::kExperts;
    return out;
  }
  if (low == "mlp" || low == "ffn" || low == "-" || low == "feed_forward") {
    LayerKind out = no_attention("feed_forward_only");
    out.ffn = FeedForwardKind::kDense;
    return out;
  }
  if (contains_any(
          low, {"linear", "mamba", "ssm", "recurrent", "conv", "rwkv", "lightning", "delta", "gdn",
                "kda", "lstm", "rglru", "no_op", "noop", "identity", "gla"})) {
    return no_attention(low == "noop" ? "no_op" : low);
  }
  if (contains_any(low, {"sliding", "local", "window", "swa"})) return sliding_attention();
  if (contains_any(low, {"chunk"})) return chunked_attention();
  if (contains_any(low, {"cross"})) {
    return LayerKind{Mixer::kCross, "cross_attention", {}, FeedForwardKind::kUsual};
  }
  // "hybrid": a shared attention block beside a recurrent one.
  if (contains_any(low, {"full", "global", "attention", "attn", "dense", "softmax", "self", "lsh",
                         "hybrid", "sparse"})) {
    return full_attention();
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

bool has_hybrids(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "hybrid") != words.end();
}

}  // namespace

std::optional<LayerWords> listed_words(const ConfigBlock& block) {
  for (const std::string_view name : kTypeLists) {
    if (auto words = repeated_words(block, name)) return LayerWords{block.key_path(name), *words};
    const auto found = block.find(name);
    if (!found || !found->value->is_array() || found->value->empty()) continue;
    return LayerWords{block.key_path(name), *block.words(name)};
  }
  // Nemotron-H: one letter a layer, M Mamba, * attention, - feed-forward, E experts.
  if (const auto pattern = block.text("hybrid_override_pattern")) {
    LayerWords out{block.key_path("hybrid_override_pattern"), {}};
    for (const char letter : *pattern) {
      if (letter != '|') out.words.emplace_back(1, letter);
    }
    return out;
  }
  return std::nullopt;
}

std::vector<LayerKind> kinds_of_words(const ConfigBlock& block, const LayerWords& listed,
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

std::optional<std::size_t> listed_layers(const ConfigBlock& block) {
  const auto listed = listed_words(block);
  return listed ? std::optional(listed->words.size()) : std::nullopt;
}

}  // namespace attnlab
