// Multiply-adds and bytes of one Transformer layer, from its shape alone.
//   projections  Q: nq D h dqk   K: nk D hkv dqk   V: nk D hkv dv   O: nq h dv D
//   attention    h pairs (dqk + dv), pairs = the (query, key) couples that the masks leave
//   feed-forward nq m D F, m = 2 matrices, 3 when gated, times the active experts
// For nq = nk = n, D = h d these are 4 n D^2, 2 n^2 D and, at F = 4 D, 8 n D^2; so attention equals
// the projections at n = 2 D and all linear work at n = 6 D (the lesson, third table).
#ifndef ATTNLAB_COST_LAYER_H_
#define ATTNLAB_COST_LAYER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/count.h"

namespace attnlab {

// Which keys a query sees by position. top-left: query i sees keys 0..i; bottom-right: the queries
// are the last of the sequence, so query i sees keys 0..i + nk - nq.
enum class CausalMask { kNone, kTopLeft, kBottomRight };
std::span<const std::string_view> choice_names(CausalMask);  // none, top-left, bottom-right

// Storage types of cached keys and values and of stored scores.
enum class StorageType { kF32, kBf16, kF16, kInt8 };
std::span<const std::string_view> choice_names(StorageType);  // f32, bf16, f16, int8
std::int64_t bytes_of(StorageType type);

struct LayerShape {
  std::int64_t batch = 1;
  std::int64_t width = 768;  // D, the model's width
  std::int64_t heads = 12, kv_heads = 12;
  std::int64_t head_dim = 64, head_dim_v = 64;
  CausalMask causal = CausalMask::kNone;
  std::optional<std::int64_t> window;  // W keys with the query's own when causal, else |i - j| < W
  std::int64_t ffn = 3072;             // width of the feed-forward layer
  bool ffn_gated = false;
  std::int64_t active_experts = 1;
  StorageType storage = StorageType::kF32;
};

// The (query, key) couples that the masks leave, of one head.
Count visible_pairs(CausalMask causal, std::optional<std::int64_t> window, std::int64_t nq,
                    std::int64_t nk);

// One part of the layer at nq queries and nk keys, the whole batch. Bytes count each operand read
// once and each result written once.
struct LayerPart {
  std::string_view name;  // q, k, v, o, scores, softmax, weighted_sum, ffn
  Count macs, bytes;
  Count exponentials;  // of the softmax; it has no multiply-adds
};

struct LayerCost {
  std::vector<LayerPart> parts;
  Count projection_macs, attention_macs, ffn_macs;
  Count score_bytes;               // of the nq x nk matrices of all heads
  Count kv_cache_bytes_per_token;  // of one sequence
};

// In a self-attention with a cache (nq < nk) only the new tokens' keys and values are projected.
LayerCost layer_cost(const LayerShape& shape, std::int64_t nq, std::int64_t nk);

// The real n = nq = nk from which attention costs more than the projections, or than all linear
// work. No value, and the reason, where it never does.
struct Crossover {
  std::optional<double> n;
  std::string reason;
};
Crossover crossover_projections(const LayerShape& shape);
Crossover crossover_all_linear(const LayerShape& shape);

}  // namespace attnlab

#endif  // ATTNLAB_COST_LAYER_H_
