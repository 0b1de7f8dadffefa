// Feed-forward layers: widths, gates, experts, and which layers have experts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/model_config_defaults.h"
#include "io/model_config_expert_layers.h"
#include "io/model_config_heads.h"
#include "io/model_config_keys.h"
#include "io/model_config_stack.h"

namespace attnlab {
namespace {

using Sizes = std::vector<std::int64_t>;

class FeedForwardReader {
 public:
  FeedForwardReader(const ConfigBlock& block, std::int64_t width,
                    const std::vector<LayerKind>& kinds, const StackOptions& options)
      : block_(block), options_(options), kinds_(kinds), width_(width), layers_(kinds.size()) {}

  std::vector<FeedForwardShape> read() {
    const bool gated = is_gated();
    const auto experts = block_.per_layer(keys::kExperts, layers_, 0);
    const bool enabled = block_.flag("enable_moe_block").value_or(true);
    const bool any = experts && enabled &&
                     std::any_of(experts->begin(), experts->end(), [](auto n) { return n > 1; });
    Sizes usual = usual_widths(any);
    // No experts but the shared one (GraniteMoeHybrid writes num_local_experts 0).
    if (experts && !any && enabled) {
      if (const auto shared = block_.per_layer(keys::kSharedWidth, layers_)) usual = *shared;
    }
    if (any) read_experts(usual);
    const std::vector<bool> has_experts =
        any ? expert_layers(block_, kinds_) : std::vector<bool>(layers_, false);
    const auto dense = any ? block_.per_layer(keys::kDenseWidth, layers_) : std::nullopt;
    const auto expert_input = any ? block_.count(keys::kExpertInput).value_or(0) : 0;
    const bool is_beside = block_.has("enable_moe_block");  // a dense layer beside the experts
    std::vector<FeedForwardShape> out;
    for (std::size_t i = 0; i < layers_; ++i) {
      FeedForwardShape shape{gated};
      if (kinds_[i].ffn == FeedForwardKind::kNone) {
        out.push_back(shape);
        continue;
      }
      if (any && has_experts[i] && (*experts)[i] > 1) {
        shape.experts = (*experts)[i];
        shape.active_experts = active_[i];
        shape.expert = expert_width_[i];
        shape.dense = shared_[i] + (is_beside ? usual[i] : 0);
        shape.expert_input = expert_input;
        if (shape.active_experts > shape.experts) {
          block_.refuse(
              block_.find(keys::kActiveExperts)->key,
              fmt::format("{} are more than the {} experts", shape.active_experts, shape.experts),
              "");
        }
      } else {
        shape.dense = dense ? (*dense)[i] : usual[i];
      }
      out.push_back(shape);
    }
    return out;
  }

 private:
  bool is_gated() const {
    constexpr std::string_view kFlags[] = {"is_gated_act", "use_glu", "use_gated_mlp",
                                           "gated_mlp",    "glu_mlp", "use_swiglu_ffn",
                                           "is_glu_act"};
    constexpr std::string_view kForms[] = {"feed_forward_proj", "ffn_type", "mlp_type"};
    if (const auto flag = block_.flag(KeyNames(kFlags))) return *flag;
    if (const auto form = block_.text(KeyNames(kForms))) {
      return form->starts_with("gated") || form->find("glu") != std::string::npos;
    }
    const auto activation = block_.text(keys::kActivation);
    const bool named_glu =
        activation && (activation->find("glu") != std::string::npos || *activation == "gegelu");
    if (named_glu) return true;
    const bool is_first_glm = options_.type == "chatglm" && block_.has("inner_hidden_size");
    const auto known =
        is_first_glm ? std::optional(false) : gated_feed_forward_of_type(options_.type);
    if (known) {
      block_.notes().add(NoteKind::kAssumed, block_.key_path("feed_forward"),
                         *known ? "3 matrices" : "2 matrices",
                         "known of model type " + options_.type);
      return *known;
    }
    const bool gated = activation == "silu" || activation == "swish";
    block_.notes().add(
        NoteKind::kAssumed, block_.key_path("feed_forward"), gated ? "3 matrices" : "2 matrices",
        gated ? "activation silu is usual in gated layers" : "no key says that it is gated");
    return gated;
  }

  // The width of a layer without experts; of one with experts where no key of their own says it.
  Sizes usual_widths(bool has_experts) const {
    if (auto widths = widths_of_blocks()) return *widths;
    if (auto widths = widths_of_multipliers()) return *widths;
    if (auto found = block_.per_layer(keys::kFfn, layers_)) {
      if (block_.flag("block_auto_adjust_ff_dim").value_or(false)) {
        for (std::int64_t& width : *found) width = adjusted(width);
        return *found;
      }
      const bool is_both = options_.type == "qwen" || block_.has("mlp_hidden_size");
      if (!is_both) return *found;
      for (std::int64_t& width : *found) width /= 2;  // written for gate and up together
      block_.notes().add(NoteKind::kDerived, block_.find(keys::kFfn)->key,
                         std::to_string(found->front()), "half: the key counts gate and up");
      return *found;
    }
    if (const auto ratio = block_.ratio(keys::kFfnRatio)) {
      return Sizes(layers_, width_times(*ratio, keys::kFfnRatio));
    }
    if (has_experts && block_.has(keys::kExpertWidth)) return Sizes(layers_, 0);
    const TypeSizes* defaults = defaults_of(block_, options_);
    if (defaults != nullptr && defaults->ffn > 0) {
      note_default(block_, keys::kFfn[0], defaults->ffn, options_);
      return Sizes(layers_, defaults->ffn);
    }
    const bool is_needed = std::any_of(kinds_.begin(), kinds_.end(), [](const LayerKind& kind) {
      return kind.ffn != FeedForwardKind::kNone;
    });
    if (!is_needed) return Sizes(layers_, 0);
    block_.notes().add(NoteKind::kAssumed, block_.key_path(keys::kFfn[0]),
                       std::to_string(4 * width_), "absent: 4 x hidden_size");
    return Sizes(layers_, 4 * width_);
  }

  // LFM2: two thirds, times a factor, rounded up.
  std::int64_t adjusted(std::int64_t width) const {
    constexpr std::string_view kFactor[] = {"block_ffn_dim_multiplier"};
    const std::int64_t multiple = block_.count("block_multiple_of").value_or(1);
    const double factor = block_.ratio(KeyNames(kFactor)).value_or(1);
    const double exact = std::floor(factor * std::floor(2 * static_cast<double>(width) / 3));
    if (exact > static_cast<double>(kLargestSize)) {
      block_.refuse(block_.find(KeyNames(kFactor))->key, "gives too large a width", "");
    }
    const auto whole = static_cast<std::int64_t>(exact);
    return (whole + multiple - 1) / multiple * multiple;
  }

  std::int64_t width_times(double ratio, KeyNames names) const {
    const double width = std::floor(static_cast<double>(width_) * ratio);
    if (width < 1 || width > static_cast<double>(kLargestSize)) {
      block_.refuse(block_.find(names)->key, number_text(ratio) + " gives no possible width", "");
    }
    return static_cast<std::int64_t>(width);
  }

  // ffn_mult of architecture search: 2/3 of mult x width, rounded up to 256.
  std::optional<Sizes> widths_of_blocks() const {
    const auto blocks = block_.find("block_configs");
    if (!blocks || !blocks->value->is_array()) return std::nullopt;
    Sizes out;
    ConfigNotes quiet;
    constexpr std::string_view kMult[] = {"ffn_mult"};
    for (std::size_t i = 0; i < layers_; ++i) {
      const std::string path = child_place(blocks->key, i) + ".";
      const ConfigBlock one((*blocks->value)[i], block_.file(), path, quiet);
      const auto ffn = one.child("ffn");
      std::int64_t width = 0;
      if (ffn) {
        if (const auto found = ffn->count(keys::kFfn)) {
          width = *found;
        } else if (const auto mult = ffn->ratio(KeyNames(kMult))) {
          const double exact = std::floor(2 * *mult * static_cast<double>(width_) / 3);
          width = (static_cast<std::int64_t>(std::min(exact, 1e15)) + 255) / 256 * 256;
          if (width > kLargestSize) ffn->refuse(path + "ffn.ffn_mult", "is too large", "");
        }
      }
      out.push_back(width);
    }
    return out;
  }

  // OpenELM: a factor a layer, rounded to the nearest multiple of ffn_dim_divisor.
  std::optional<Sizes> widths_of_multipliers() const {
    const auto found = block_.find("ffn_multipliers");
    if (!found || !found->value->is_array() || found->value->size() != layers_) {
      return std::nullopt;
    }
    const std::int64_t divisor = block_.count("ffn_dim_divisor").value_or(1);
    Sizes out;
    for (const Json& factor : *found->value) {
      const double exact =
          factor.is_number() ? factor.get<double>() * static_cast<double>(width_) : -1;
      if (!(exact > 0 && exact < 1e9)) block_.refuse(found->key, "has a factor out of range", "");
      const auto d = static_cast<double>(divisor);
      double rounded = std::max(d, std::floor((exact + d / 2) / d) * d);
      if (rounded < 0.9 * exact) rounded += d;
      out.push_back(static_cast<std::int64_t>(rounded));
    }
    block_.notes().add(NoteKind::kRead, found->key, shown(*found->value), "");
    return out;
  }

  void read_experts(const Sizes& usual) {
    if (const auto active = block_.per_layer(keys::kActiveExperts, layers_)) {
      active_ = *active;
    } else {
      block_.refuse_missing(keys::kActiveExperts);
    }
    const auto width = block_.per_layer(keys::kExpertWidth, layers_);
    expert_width_ = width ? *width : usual;
    const auto total = block_.per_layer(keys::kSharedWidth, layers_, 0);
    const auto number = block_.per_layer(keys::kSharedExperts, layers_, 0);
    for (std::size_t i = 0; i < layers_; ++i) {
      std::int64_t shared = 0;
      if (total && (*total)[i] > 0 && (!number || (*number)[i] > 0)) {
        shared = (*total)[i];
      } else if (number) {
        const auto product = checked_product((*number)[i], expert_width_[i]);
        if (!product || *product > kLargestSize) {
          block_.refuse(block_.find(keys::kSharedExperts)->key, "is too large", "");
        }
        shared = *product;
      } else if (has_chunked_layers(options_.type)) {
        shared = expert_width_[i];
        block_.notes().add(NoteKind::kAssumed, block_.key_path(keys::kSharedExperts[0]), "1",
                           "known of model type " + options_.type);
      }
      shared_.push_back(shared);
    }
  }

  const ConfigBlock& block_;
  const StackOptions& options_;
  const std::vector<LayerKind>& kinds_;
  std::int64_t width_;
  std::size_t layers_;
  Sizes active_, expert_width_, shared_;
};

}  // namespace

std::vector<FeedForwardShape> read_feed_forward(const ConfigBlock& block, std::int64_t width,
                                                const std::vector<LayerKind>& kinds,
                                                const StackOptions& options) {
  return FeedForwardReader(block, width, kinds, options).read();
}

}  // namespace attnlab
