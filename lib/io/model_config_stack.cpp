#include "io/model_config_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/model_config_defaults.h"
#include "io/model_config_heads.h"
#include "io/model_config_keys.h"
#include "io/model_config_words.h"

namespace attnlab {
namespace {

struct HeadOverrides {
  std::optional<std::int64_t> heads{}, kv_heads{}, head_dim{}, head_dim_v{};
};

class StackReader {
 public:
  StackReader(const ConfigBlock& block, const StackOptions& options)
      : block_(block), options_(options), defaults_(defaults_of(block, options)) {}

  Stack read() {
    // A state-space model may name heads of its own.
    const bool is_recurrent = block_.has("state_size") && !block_.has("num_attention_heads");
    stack_.width = required_count(block_, keys::kWidth, defaults_ ? defaults_->width : 0, options_);
    const bool has_heads = block_.has(keys::kHeads) || (defaults_ && defaults_->heads > 0) ||
                           (options_.outer && options_.outer->has(keys::kHeads));
    if (!is_recurrent && !has_heads) block_.refuse_missing(keys::kHeads);
    const std::size_t count = count_ = read_layer_count();
    std::vector<LayerKind> kinds(count, {Mixer::kNone, "mamba", {}, FeedForwardKind::kNone});
    HeadSizes heads;
    if (!is_recurrent) {
      kinds = layer_kinds(block_, count, options_.type, options_.is_tower);
      heads = read_heads(block_, stack_.width, count, options_);
      read_common(count);
    }
    const auto ffn = read_feed_forward(block_, stack_.width, kinds, options_);
    for (std::size_t i = 0; i < count; ++i) {
      LayerShape shape;
      shape.width = stack_.width;
      shape.ffn = ffn[i];
      shape.has_attention = kinds[i].mixer != Mixer::kNone;
      if (shape.has_attention) {
        set_attention(i, kinds[i], heads, shape);
      } else {  // equal whatever the heads of the other layers
        shape.heads = shape.kv_heads = shape.head_dim = shape.head_dim_v = 0;
      }
      stack_.layers.push_back({kinds[i].name, shape});
    }
    if (has_double_layers(options_.type)) double_layers();
    note_uncounted();
    return std::move(stack_);
  }

 private:
  std::size_t read_layer_count() const {
    if (const auto found = block_.count(keys::kLayers, 1, kMostLayers)) {
      return static_cast<std::size_t>(*found);
    }
    if (const auto listed = listed_layers(block_)) {
      if (*listed >= 1 && *listed <= static_cast<std::size_t>(kMostLayers)) return *listed;
      block_.refuse(block_.key_path(keys::kLayers[0]), "is missing, and no list says it", "");
    }
    const std::int64_t found =
        required_count(block_, keys::kLayers, defaults_ ? defaults_->layers : 0, options_);
    if (found > kMostLayers) {
      block_.refuse(block_.key_path(keys::kLayers[0]), fmt::format("{} is out of range", found),
                    "");
    }
    return static_cast<std::size_t>(found);
  }

  void double_layers() {
    const std::int64_t dense = block_.count(keys::kFfn).value_or(0);
    std::vector<StackLayer> out;
    for (StackLayer& layer : stack_.layers) {
      StackLayer second = layer;
      second.shape.ffn = {layer.shape.ffn.gated, dense};
      if (layer.shape.ffn.experts > 0) layer.shape.ffn.dense += dense;
      out.push_back(std::move(layer));
      out.push_back(std::move(second));
    }
    stack_.layers = std::move(out);
    block_.notes().add(NoteKind::kAssumed, block_.key_path(keys::kLayers[0]),
                       std::to_string(stack_.layers.size()),
                       "model type " + options_.type +
                           " is known to have two attentions and two dense layers a layer: each "
                           "half is counted as a layer");
  }

  // What all layers have. Layers that use the keys and values of an earlier one are the last ones,
  // or all but each f-th.
  void read_common(std::size_t count) {
    const auto layers = static_cast<std::int64_t>(count);
    first_sharing_ = layers - block_.count("num_kv_shared_layers", 0, layers).value_or(0);
    if (block_.flag("use_cla").value_or(false)) {
      sharing_factor_ = block_.count("cla_share_factor", 1, kMostLayers).value_or(1);
    }
    value_is_key_ = block_.flag("attention_k_eq_v").value_or(false);
    output_rank_ = block_.count("o_lora_rank").value_or(0);
    output_groups_ = block_.count("o_groups").value_or(1);
    read_gate();
  }

  void set_attention(std::size_t layer, LayerKind& kind, const HeadSizes& heads,
                     LayerShape& shape) {
    shape.heads = heads.heads[layer];
    shape.kv_heads = heads.kv_heads[layer];
    shape.head_dim = heads.head_dim[layer];
    shape.head_dim_v = heads.head_dim_v[layer];
    shape.latent = heads.latent;
    shape.query_rank = heads.query_rank;
    shape.output_rank = output_rank_;
    shape.output_groups = output_groups_;
    shape.is_cross = kind.mixer == Mixer::kCross;
    set_reach(layer, kind);
    shape.reach = kind.reach;
    override_heads(kind.mixer, shape);
    const auto i = static_cast<std::int64_t>(layer);
    shape.shares_keys = i >= first_sharing_ || i % sharing_factor_ != 0;
    shape.value_is_key = value_is_key_ && kind.mixer == Mixer::kFull;
    shape.gate = has_gate_ ? shape.heads * shape.head_dim_v : has_head_gate_ ? shape.heads : 0;
    if (shape.heads < 1 || shape.head_dim < 1 || shape.head_dim_v < 1) {
      block_.refuse(block_.key_path(keys::kHeads[0]),
                    fmt::format("layer {} attends, but has no heads or heads of no size", layer),
                    "");
    }
    const bool divide = shape.kv_heads >= 1 && shape.heads % shape.kv_heads == 0;
    if (shape.kv_heads < 1 || (!divide && !shape.latent)) {
      const auto found = block_.find(keys::kKvHeads);
      block_.refuse(found ? found->key : block_.key_path(keys::kKvHeads[0]),
                    fmt::format("{} heads do not divide by {} heads of keys and values",
                                shape.heads, shape.kv_heads),
                    "");
    }
  }

  // Windows of sliding layers and chunks of chunked ones.
  void set_reach(std::size_t layer, LayerKind& kind) {
    if (kind.mixer == Mixer::kChunked) {
      constexpr std::string_view kChunk[] = {"attention_chunk_size"};
      if (!chunk_) chunk_ = block_.count(KeyNames(kChunk));
      kind.reach.chunk = chunk_;
      if (!kind.reach.chunk) block_.refuse_missing(KeyNames(kChunk));
    }
    if (kind.mixer != Mixer::kSliding || kind.reach.window) return;
    if (windows_.empty()) read_windows();
    if (windows_[layer] > 0) {
      kind.reach.window = windows_[layer];
    } else {
      kind = {Mixer::kFull, "full_attention", {}, kind.ffn};
    }
  }

  // One window a layer; 0 is none.
  void read_windows() {
    const std::size_t count = count_;
    constexpr std::string_view kTwoSided[] = {"attention_window", "local_attention"};
    if (block_.flag("use_sliding_window") == false) {
      windows_.assign(count, 0);
    } else if (auto sides = block_.per_layer(KeyNames(kTwoSided), count)) {
      for (const std::int64_t both : *sides) windows_.push_back(both > 0 ? both / 2 + 1 : 0);
      block_.notes().add(NoteKind::kDerived, block_.find(KeyNames(kTwoSided))->key,
                         std::to_string(windows_.front()),
                         "half of it to each side: |i - j| < half + 1");
    } else if (auto found = block_.per_layer(keys::kWindow, count)) {
      windows_ = std::move(*found);
    } else if (defaults_ != nullptr && defaults_->window > 0) {
      note_default(block_, keys::kWindow[0], defaults_->window, options_);
      windows_.assign(count, defaults_->window);
    } else {
      block_.refuse_missing(keys::kWindow);
    }
  }

  // Sizes of their own for layers with a window, or for those without.
  HeadOverrides read_overrides(Mixer mixer) const {
    std::vector<ConfigBlock> sources;
    if (mixer == Mixer::kSliding) {
      sources.push_back(block_.with_prefixes({"swa_", "sliding_", "local_"}));
      const auto other = block_.child("attention_other_setting");  // Step
      if (other && other->text("attention_type").value_or("sliding") != "full_attention") {
        sources.push_back(*other);
      }
    } else {
      sources.push_back(block_.with_prefixes({"global_", "full_"}));
    }
    HeadOverrides out;
    for (const ConfigBlock& source : sources) {
      constexpr std::string_view kHeads[] = {"num_attention_heads", "attention_heads"};
      if (const auto heads = source.count(KeyNames(kHeads))) out.heads = heads;
      if (const auto heads = source.count(keys::kKvHeads)) out.kv_heads = heads;
      if (const auto size = source.count(keys::kHeadDim)) out.head_dim = out.head_dim_v = size;
      if (const auto size = source.count(keys::kHeadDimV)) out.head_dim_v = size;
    }
    return out;
  }

  void override_heads(Mixer mixer, LayerShape& shape) {
    if ((mixer != Mixer::kSliding && mixer != Mixer::kFull) || shape.latent) return;
    auto& own = mixer == Mixer::kSliding ? of_sliding_ : of_full_;
    if (!own) own = read_overrides(mixer);
    shape.heads = own->heads.value_or(shape.heads);
    shape.kv_heads = own->kv_heads.value_or(shape.kv_heads);
    shape.head_dim = own->head_dim.value_or(shape.head_dim);
    shape.head_dim_v = own->head_dim_v.value_or(shape.head_dim_v);
  }

  void read_gate() {
    constexpr std::string_view kGates[] = {"attn_output_gate", "use_output_gate",
                                           "attention_output_gate", "gated_attention",
                                           "elementwise_attn_output_gate"};
    constexpr std::string_view kHeadGates[] = {"headwise_attn_output_gate",
                                               "use_head_wise_attn_gate"};
    const auto gate = block_.flag(KeyNames(kGates));
    const auto head_gate = block_.flag(KeyNames(kHeadGates));
    has_gate_ = gate.value_or(false);
    has_head_gate_ = head_gate.value_or(false);
    if (gate || head_gate || !has_output_gate(options_.type)) return;
    block_.notes().add(NoteKind::kNotCounted, block_.key_path("attn_output_gate"), "",
                       "model type " + options_.type +
                           " is known to have an output gate in its attention, but no key "
                           "announces it: its projection is not counted");
  }

  void note_uncounted() const;

  const ConfigBlock& block_;
  const StackOptions& options_;
  const TypeSizes* defaults_;
  Stack stack_;
  std::size_t count_ = 0;
  std::vector<std::int64_t> windows_;
  std::optional<std::int64_t> chunk_{};
  std::optional<HeadOverrides> of_sliding_{}, of_full_{};
  std::int64_t first_sharing_ = 0, sharing_factor_ = 1;
  std::int64_t output_rank_ = 0, output_groups_ = 1;
  bool value_is_key_ = false, has_gate_ = false, has_head_gate_ = false;
};

struct Uncounted {
  std::string_view key, text;
};
constexpr Uncounted kUncounted[] = {
    {"index_topk",
     "a query's keys are chosen by an indexer: counted as if it saw all; the indexer "
     "is not counted"},
    {"compress_ratios",
     "keys compressed by such ratios are counted as if they were not, windows "
     "as if they were full"},
    {"sparse_attention_config", "block-sparse attention is counted as if it were full"},
    {"blocksparse_block_size", "block-sparse attention is counted as if it were full"},
    {"num_random_blocks", "block-sparse attention is counted as if it were full"},
    {"attention_hidden_size", "an attention that works in another width: counted in the model's"},
    {"num_nextn_predict_layers", "layers that predict further tokens"},
    {"num_mtp_modules", "layers that predict further tokens"},
    {"mtp_num_hidden_layers", "layers that predict further tokens"},
    {"hidden_size_per_layer_input", "embeddings a layer"},
    {"mamba_d_ssm", "state-space mixers beside the attention"},
};

void StackReader::note_uncounted() const {
  for (const auto& [key, text] : kUncounted) {
    const auto found = block_.find(key);
    const bool is_off = found && (*found->value == Json(0) || *found->value == Json(false));
    if (!found || is_off) continue;
    block_.notes().add(NoteKind::kNotCounted, found->key, shown(*found->value), std::string(text));
  }
  std::vector<std::string> names;
  for (const StackLayer& layer : stack_.layers) {
    const bool is_new = std::find(names.begin(), names.end(), layer.name) == names.end();
    if (layer.shape.has_attention || !is_new) continue;
    names.push_back(layer.name);
    if (layer.name == "experts_only" || layer.name == "feed_forward_only") continue;
    block_.notes().add(NoteKind::kNotCounted, block_.key_path("layer_types"), layer.name,
                       "layers without attention: of " + layer.name +
                           " layers only a feed-forward part is counted");
  }
}

}  // namespace

Stack read_stack(const ConfigBlock& block, const StackOptions& options) {
  return StackReader(block, options).read();
}

}  // namespace attnlab
