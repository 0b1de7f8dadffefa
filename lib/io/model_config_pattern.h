// Which layers of a model attend, and how far: from lists of layer types, patterns, periods.
#ifndef ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_
#define ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

inline LayerKind full_attention() { return {}; }
// Attention of whatever reach the model's attention has.
inline LayerKind any_attention() {
  return {Mixer::kFull, "attention", {}, FeedForwardKind::kUsual};
}
inline LayerKind sliding_attention() {
  return {Mixer::kSliding, "sliding_attention", {}, FeedForwardKind::kUsual};
}
inline LayerKind chunked_attention() {
  return {Mixer::kChunked, "chunked_attention", {}, FeedForwardKind::kUsual};
}
inline LayerKind no_attention(std::string name) {
  return {Mixer::kNone, std::move(name), {}, FeedForwardKind::kUsual};
}

// One kind a layer. `type` is the model type, for what no key says; a tower's windows are laid over
// images, not over a sequence, and are left out.
std::vector<LayerKind> layer_kinds(const ConfigBlock& block, std::size_t layers,
                                   const std::string& type, bool is_tower);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_PATTERN_H_
