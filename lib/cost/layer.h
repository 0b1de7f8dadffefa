// Multiply-adds and bytes of one Transformer layer, from its shape alone.
//   projections  Q: nq D h dqk   K: m D hkv dqk   V: m D hkv dv   O: nq h dv D   (m new keys)
//   attention    h pairs (dqk + dv), pairs = the (query, key) couples that the masks leave
//   feed-forward nq k D F, k = 2 matrices, 3 when gated; of experts the active ones
// For nq = nk = n, D = h d these are 4 n D^2, 2 n^2 D and, at F = 4 D, 8 n D^2; so attention equals
// the projections at n = 2 D and all linear work at n = 6 D (the lesson, third table).
// Latent attention: DeepSeek-V2, 2024, section 2.1, unabsorbed: keys and values of all heads are
// expanded from a compressed vector. Not counted: norms, rotary embedding, biases, routers.
#ifndef ATTNLAB_COST_LAYER_H_
#define ATTNLAB_COST_LAYER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cost/count.h"
#include "cost/pairs.h"

namespace attnlab {

// Storage types of cached keys and values, of stored scores and operands.
enum class StorageType { kF32, kBf16, kF16, kInt8 };
std::span<const std::string_view> choice_names(StorageType);  // f32, bf16, f16, int8
std::int64_t bytes_of(StorageType type);

// Latent attention: a token's keys and values come from a vector of kv_rank, beside rope_dim
// numbers that all heads share; head_dim includes them.
struct LatentShape {
  std::int64_t kv_rank = 0, rope_dim = 0;
  bool operator==(const LatentShape&) const = default;
};

struct FeedForwardShape {
  bool gated = false;
  std::int64_t dense = 0;   // width that every token goes through: a dense layer, shared experts
  std::int64_t expert = 0;  // width of one expert
  std::int64_t experts = 0, active_experts = 0;
  std::int64_t expert_input = 0;  // experts that work in a narrower space have this width; 0: D
  bool operator==(const FeedForwardShape&) const = default;
};

struct LayerShape {
  bool has_attention = true;  // a layer without has a feed-forward part at most
  bool is_cross = false;      // keys and values come from another sequence; never causal
  bool shares_keys = false;   // uses the keys and values of an earlier layer
  bool value_is_key = false;  // values are the projected keys
  std::int64_t batch = 1;
  std::int64_t width = 768;       // D, the model's width
  std::int64_t source_width = 0;  // of the sequence that cross-attention reads; 0: D
  std::int64_t heads = 12, kv_heads = 12;
  std::int64_t head_dim = 64, head_dim_v = 64;
  std::optional<LatentShape> latent{};
  std::int64_t query_rank = 0;   // Q as two thin matrices of this inner width; 0: as one
  std::int64_t output_rank = 0;  // O likewise, for each of output_groups groups of heads
  std::int64_t output_groups = 1;
  std::int64_t gate = 0;  // width of a gate on attention's output; 0: none
  Causal causal = Causal::kNone;
  Reach reach{};
  FeedForwardShape ffn{false, 3072};
  StorageType storage = StorageType::kF32;
  bool operator==(const LayerShape&) const = default;
};

// Queries, keys, and how many of the keys are projected in this step: the rest lie in a cache.
struct Extent {
  std::int64_t nq = 1, nk = 1, new_keys = 1;
};
// The step that contract.md's rows count: with fewer queries than keys only the new tokens' keys
// are projected; cross-attention projects all.
Extent extent_of(const LayerShape& shape, std::int64_t nq, std::int64_t nk);
// One token after nk - 1 cached ones; a cross-attention finds all its keys in the cache.
Extent decode_extent(const LayerShape& shape, std::int64_t nk);

// One part of the layer, the whole batch. Bytes count each operand read once and each result
// written once.
struct LayerPart {
  std::string_view name;  // q, k, v, gate, o, scores, softmax, weighted_sum, ffn
  Count macs, bytes;
  Count exponentials;  // of the softmax; it has no multiply-adds
};

struct LayerCost {
  std::vector<LayerPart> parts;
  Count pairs;  // of one head of one sequence
  Count projection_macs, attention_macs, ffn_macs, bytes;
  Count score_bytes;               // of the stored nq x nk matrices of all heads
  Count kv_cache_bytes_per_token;  // of one sequence
  Count macs() const { return projection_macs + attention_macs + ffn_macs; }
};
LayerCost layer_cost(const LayerShape& shape, const Extent& extent);

// Numbers that one token adds to the cache of one sequence.
Count cached_numbers(const LayerShape& shape);
// Cached tokens that a later query can still need: all, or the window's.
std::int64_t cached_tokens(const LayerShape& shape, std::int64_t n);

// Multiply-adds a token of the projections and of the feed-forward layer at nq = nk = new_keys, and
// of the latter if all experts were active.
Count projection_macs_per_token(const LayerShape& shape);
Count ffn_macs_per_token(const LayerShape& shape);
Count ffn_macs_per_token_all_experts(const LayerShape& shape);

// One decoding step of latent attention on the compressed cache: with the expansion absorbed into
// queries and outputs, or expanding every cached vector again.
struct DecodeMacs {
  Count projection, attention;
};
DecodeMacs absorbed_decode(const LayerShape& shape, std::int64_t nk);
DecodeMacs expanding_decode(const LayerShape& shape, std::int64_t nk);

}  // namespace attnlab

#endif  // ATTNLAB_COST_LAYER_H_
