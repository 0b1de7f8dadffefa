#include "io/model_config_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/model_config_keys.h"

namespace attnlab {
namespace {

using Sizes = std::vector<std::int64_t>;

class HeadReader {
 public:
  HeadReader(const ConfigBlock& block, std::int64_t width, std::size_t layers,
             const StackOptions& options)
      : block_(block),
        options_(options),
        defaults_(defaults_of(block, options)),
        width_(width),
        layers_(layers) {}

  HeadSizes read() {
    if (auto found = block_.per_layer(keys::kHeads, layers_)) {
      out_.heads = std::move(*found);
    } else {
      const std::int64_t fallback = defaults_ != nullptr ? defaults_->heads : 0;
      out_.heads.assign(layers_, required_count(block_, keys::kHeads, fallback, options_));
    }
    read_kv_heads();
    read_sizes();
    return std::move(out_);
  }

 private:
  // Rules in this order: Falcon's first architecture, the number itself, a group size, multi-query
  // alone, the type's default; else a head of keys and values for each query head.
  void read_kv_heads() {
    if (read_kv_heads_of_blocks()) return;
    const auto multi_query = block_.flag("multi_query");
    const bool new_decoder = block_.flag("new_decoder_architecture").value_or(false);
    const bool is_falcon = block_.has("new_decoder_architecture") || options_.type == "falcon" ||
                           options_.type == "RefinedWebModel";
    if (multi_query.value_or(false) && !new_decoder && is_falcon) {
      derive_kv("multi_query without new_decoder_architecture: 1", Sizes(layers_, 1));
      return;
    }
    const auto groups_on = block_.flag("multi_query_attention");  // ChatGLM
    const bool groups_off = groups_on == false && block_.has("multi_query_group_num");
    if (!groups_off) {
      if (auto found = block_.per_layer(keys::kKvHeads, layers_)) {
        out_.kv_heads = std::move(*found);
        return;
      }
    }
    if (const auto group = block_.per_layer(keys::kGroupSize, layers_)) {
      Sizes kv;
      for (std::size_t i = 0; i < layers_; ++i) kv.push_back(kv_of_group(i, (*group)[i]));
      derive_kv("absent: heads / group size", std::move(kv));
      return;
    }
    const std::int64_t known = defaults_ != nullptr ? defaults_->kv_heads : 0;
    const bool fits = known > 0 && std::all_of(out_.heads.begin(), out_.heads.end(),
                                               [&](std::int64_t h) { return h % known == 0; });
    if (multi_query.value_or(false) || groups_on.value_or(false) ||
        block_.text("attn_type").value_or("") == "multiquery_attention") {
      derive_kv("absent with multi_query: 1", Sizes(layers_, 1));
    } else if (!multi_query && is_multi_query_type(options_.type)) {
      out_.kv_heads.assign(layers_, 1);
      note_default(block_, keys::kKvHeads[0], 1, options_);
    } else if (fits) {
      out_.kv_heads.assign(layers_, known);
      note_default(block_, keys::kKvHeads[0], known, options_);
    } else {
      derive_kv("absent: num_attention_heads", out_.heads);
    }
  }

  bool read_kv_heads_of_blocks() {
    const auto blocks = block_.find("block_configs");
    if (!blocks || !blocks->value->is_array()) return false;
    out_.kv_heads = out_.heads;
    ConfigNotes quiet;  // a value for each of many blocks would fill pages
    for (std::size_t i = 0; i < layers_; ++i) {
      const std::string path = child_place(blocks->key, i) + ".";
      const ConfigBlock one((*blocks->value)[i], block_.file(), path, quiet);
      const auto attention = one.child("attention");
      if (!attention) continue;
      if (const auto kv = attention->count(keys::kKvHeads)) out_.kv_heads[i] = *kv;
      if (const auto group = attention->count(keys::kGroupSize)) {
        out_.kv_heads[i] = kv_of_group(i, *group);
      }
    }
    return true;
  }

  std::int64_t kv_of_group(std::size_t layer, std::int64_t group) const {
    const std::int64_t heads = out_.heads[layer];
    if (group <= 0 || heads % group != 0) {
      const auto found = block_.find(keys::kGroupSize);
      block_.refuse(found ? found->key : block_.key_path("block_configs"),
                    fmt::format("{} heads do not divide into groups of {}", heads, group), "");
    }
    return heads / group;
  }

  void derive_kv(std::string text, Sizes values) {
    out_.kv_heads = std::move(values);
    block_.notes().add(NoteKind::kDerived, block_.key_path(keys::kKvHeads[0]),
                       std::to_string(out_.kv_heads.front()), std::move(text));
  }

  void read_sizes() {
    const bool may_be_latent = block_.flag("use_mla").value_or(true);
    if (may_be_latent) out_.query_rank = block_.count("q_lora_rank").value_or(0);
    if (may_be_latent && block_.has("kv_lora_rank")) {
      read_latent();
      return;
    }
    if (auto found = block_.per_layer(keys::kHeadDim, layers_)) {
      out_.head_dim = std::move(*found);
    } else if (defaults_ != nullptr && defaults_->head_dim > 0) {
      out_.head_dim.assign(layers_, defaults_->head_dim);
      note_default(block_, keys::kHeadDim[0], defaults_->head_dim, options_);
    } else {
      out_.head_dim = width_by_heads(keys::kHeadDim[0]);
    }
    auto values = may_be_latent ? block_.per_layer(keys::kHeadDimV, layers_) : std::nullopt;
    out_.head_dim_v = values ? std::move(*values) : out_.head_dim;
  }

  void read_latent() {
    const std::int64_t rank = *block_.count("kv_lora_rank");
    constexpr std::string_view kRope[] = {"qk_rope_head_dim"};
    constexpr std::string_view kNope[] = {"qk_nope_head_dim", "qk_head_dim"};
    const auto rope = block_.count(KeyNames(kRope));
    if (!rope) block_.refuse_missing(KeyNames(kRope));
    auto nope = block_.count("qk_nope_head_dim");
    if (!nope) {
      const auto both = block_.count("qk_head_dim");
      if (!both || *both <= *rope) block_.refuse_missing(KeyNames(kNope));
      nope = *both - *rope;
    }
    out_.latent = LatentShape{rank, *rope};
    out_.head_dim.assign(layers_, *nope + *rope);
    auto values = block_.per_layer(keys::kHeadDimV, layers_);
    out_.head_dim_v = values ? std::move(*values) : width_by_heads(keys::kHeadDimV[0]);
  }

  Sizes width_by_heads(std::string_view key) const {
    Sizes out;
    const auto inner = options_.is_tower ? block_.count("qkv_hidden_size") : std::nullopt;
    const std::int64_t width = inner.value_or(width_);
    for (const std::int64_t heads : out_.heads) {
      if (heads <= 0 || width % heads != 0) {
        const auto found = block_.find(keys::kHeads);
        block_.refuse(found ? found->key : block_.key_path(keys::kHeads[0]),
                      fmt::format("the width {} does not divide by {} heads, and no {} says "
                                  "otherwise",
                                  width, heads, key),
                      "");
      }
      out.push_back(width / heads);
    }
    block_.notes().add(NoteKind::kDerived, block_.key_path(key), std::to_string(out.front()),
                       "absent: hidden_size / num_attention_heads");
    return out;
  }

  const ConfigBlock& block_;
  const StackOptions& options_;
  const TypeSizes* defaults_;
  std::int64_t width_;
  std::size_t layers_;
  HeadSizes out_;
};

}  // namespace

HeadSizes read_heads(const ConfigBlock& block, std::int64_t width, std::size_t layers,
                     const StackOptions& options) {
  return HeadReader(block, width, layers, options).read();
}

const TypeSizes* defaults_of(const ConfigBlock& block, const StackOptions& options) {
  return block.is_nested() ? sizes_of_type(options.type) : nullptr;
}

void note_default(const ConfigBlock& block, std::string_view key, std::int64_t value,
                  const StackOptions& options) {
  block.notes().add(NoteKind::kAssumed, block.key_path(key), std::to_string(value),
                    "absent: default of model type " + options.type);
}

std::int64_t required_count(const ConfigBlock& block, KeyNames names, std::int64_t fallback,
                            const StackOptions& options) {
  if (const auto found = block.count(names)) return *found;
  if (fallback > 0) {
    note_default(block, names[0], fallback, options);
    return fallback;
  }
  const auto outer = options.outer != nullptr ? options.outer->count(names) : std::nullopt;
  if (!outer) block.refuse_missing(names);
  return *outer;
}

}  // namespace attnlab
