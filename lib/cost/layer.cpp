#include "cost/layer.h"

#include <algorithm>

namespace attnlab {
namespace {

// A product by one or more weight matrices: multiply-adds a token, weights, numbers in and out.
struct Projection {
  Count weights, in, out;
};

struct Projections {
  Projection q, k, v, gate, o;
};

Projection matrix(Count in, Count out) { return {in * out, in, out}; }
Projection thin_pair(Count in, Count rank, Count out) { return {in * rank + rank * out, in, out}; }

Projections projections_of(const LayerShape& s) {
  Projections p;
  if (!s.has_attention) return p;
  const Count source = s.source_width > 0 ? s.source_width : s.width;
  const Count q_width = Count(s.heads) * s.head_dim, o_width = Count(s.heads) * s.head_dim_v;
  p.q = s.query_rank > 0 ? thin_pair(s.width, s.query_rank, q_width) : matrix(s.width, q_width);
  if (s.latent) {
    // Down to the compressed vector and the shared part, then up to the heads' own parts.
    const Count rank = s.latent->kv_rank, rope = s.latent->rope_dim;
    const Count keys = Count(s.heads) * (Count(s.head_dim) - rope);
    p.k = {source * (rank + rope) + rank * keys, source, keys + rope};
    p.v = matrix(rank, o_width);
  } else if (!s.shares_keys) {
    p.k = matrix(source, Count(s.kv_heads) * s.head_dim);
    if (!s.value_is_key) p.v = matrix(source, Count(s.kv_heads) * s.head_dim_v);
  }
  if (s.gate > 0) p.gate = matrix(s.width, s.gate);
  p.o = matrix(o_width, s.width);
  if (s.output_rank > 0) {  // a group's heads to its rank, all ranks together back to D
    p.o = {o_width * s.output_rank + Count(s.output_groups) * s.output_rank * s.width, o_width,
           s.width};
  }
  return p;
}

Count matrices(const LayerShape& s) { return s.ffn.gated ? 3 : 2; }

// Weights of the feed-forward part that a token meets when `experts` of them are met.
Count ffn_weights(const LayerShape& s, Count experts) {
  const FeedForwardShape& f = s.ffn;
  const Count width = s.width, inner = f.expert_input > 0 ? f.expert_input : s.width;
  // Down to the experts' own space and back.
  const Count narrowing = f.expert_input > 0 && f.experts > 0 ? width * inner * 2 : Count(0);
  return matrices(s) * (width * f.dense + inner * f.expert * experts) + narrowing;
}

}  // namespace

std::span<const std::string_view> choice_names(StorageType) {
  static constexpr std::string_view kNames[] = {"f32", "bf16", "f16", "int8"};
  return kNames;
}

std::int64_t bytes_of(StorageType type) {
  switch (type) {
    case StorageType::kF32:
      return 4;
    case StorageType::kBf16:
    case StorageType::kF16:
      return 2;
    case StorageType::kInt8:
      break;
  }
  return 1;
}

Extent extent_of(const LayerShape& shape, std::int64_t nq, std::int64_t nk) {
  return {nq, nk, shape.is_cross ? nk : std::min(nq, nk)};
}

Extent decode_extent(const LayerShape& shape, std::int64_t nk) {
  return {1, nk, shape.is_cross ? 0 : 1};
}

LayerCost layer_cost(const LayerShape& s, const Extent& e) {
  const Count batch = s.batch, size = bytes_of(s.storage);
  const Projections p = projections_of(s);
  const auto projection = [&](std::string_view name, const Projection& one, Count tokens) {
    return LayerPart{name, batch * tokens * one.weights,
                     size * (batch * tokens * (one.in + one.out) + one.weights), 0};
  };
  LayerCost cost;
  if (s.has_attention) {
    const Causal causal = s.is_cross ? Causal::kNone : s.causal;
    const Count q_width = Count(s.heads) * s.head_dim, o_width = Count(s.heads) * s.head_dim_v;
    const Count kv_heads = s.latent ? s.heads : s.kv_heads;
    const Count k_width = kv_heads * s.head_dim, v_width = kv_heads * s.head_dim_v;
    cost.pairs = visible_pairs(causal, s.reach, e.nq, e.nk);
    const Count pairs = batch * s.heads * cost.pairs;
    cost.parts = {projection("q", p.q, e.nq), projection("k", p.k, e.new_keys),
                  projection("v", p.v, e.new_keys)};
    if (s.gate > 0) cost.parts.push_back(projection("gate", p.gate, e.nq));
    cost.parts.push_back(projection("o", p.o, e.nq));
    for (const LayerPart& part : cost.parts) {
      cost.projection_macs = cost.projection_macs + part.macs;
    }
    cost.parts.push_back({"scores", pairs * s.head_dim,
                          size * (batch * e.nq * q_width + batch * e.nk * k_width + pairs), 0});
    cost.attention_macs = pairs * (Count(s.head_dim) + s.head_dim_v);
    cost.parts.push_back({"softmax", 0, size * (pairs + pairs), pairs});
    cost.parts.push_back({"weighted_sum", pairs * s.head_dim_v,
                          size * (pairs + batch * e.nk * v_width + batch * e.nq * o_width), 0});
    cost.score_bytes = batch * s.heads * e.nq * e.nk * size;
  }
  cost.ffn_macs = batch * e.nq * ffn_macs_per_token(s);
  // A batch of tokens meets more experts than one token does, at most all.
  const auto met = (Count(s.ffn.active_experts) * batch * e.nq).value();
  const Count loaded = met ? std::min(*met, s.ffn.experts) : s.ffn.experts;
  const bool has_ffn = s.ffn.dense > 0 || s.ffn.experts > 0;
  cost.parts.push_back({"ffn", cost.ffn_macs,
                        has_ffn ? size * (batch * e.nq * s.width * 2 + ffn_weights(s, loaded)) : 0,
                        0});
  for (const LayerPart& part : cost.parts) cost.bytes = cost.bytes + part.bytes;
  cost.kv_cache_bytes_per_token = cached_numbers(s) * size;
  return cost;
}

Count cached_numbers(const LayerShape& s) {
  if (!s.has_attention || s.shares_keys) return 0;
  if (s.latent) return Count(s.latent->kv_rank) + s.latent->rope_dim;
  return Count(s.kv_heads) * (Count(s.head_dim) + s.head_dim_v);
}

std::int64_t cached_tokens(const LayerShape& s, std::int64_t n) {
  return std::min({n, s.reach.window.value_or(n), s.reach.chunk.value_or(n)});
}

Count projection_macs_per_token(const LayerShape& s) {
  const Projections p = projections_of(s);
  return p.q.weights + p.k.weights + p.v.weights + p.gate.weights + p.o.weights;
}

Count ffn_macs_per_token(const LayerShape& s) { return ffn_weights(s, s.ffn.active_experts); }
Count ffn_macs_per_token_all_experts(const LayerShape& s) { return ffn_weights(s, s.ffn.experts); }

DecodeMacs absorbed_decode(const LayerShape& s, std::int64_t nk) {
  const LatentShape latent = s.latent.value_or(LatentShape{});
  const Count rank = latent.kv_rank, rope = latent.rope_dim, heads = Count(s.batch) * s.heads;
  const Count source = s.source_width > 0 ? s.source_width : s.width;
  const Projections p = projections_of(s);
  // The new token is compressed but not expanded: queries go down to the compressed space and the
  // weighted sum comes back from it.
  const Count to_latent = heads * (Count(s.head_dim) - rope) * rank;
  const Count from_latent = heads * rank * s.head_dim_v;
  const Count linear = p.q.weights + source * (rank + rope) + p.gate.weights + p.o.weights;
  const Count pairs = heads * visible_pairs(Causal::kBottomRight, s.reach, 1, nk);
  return {Count(s.batch) * linear + to_latent + from_latent, pairs * (rank + rope + rank)};
}

DecodeMacs expanding_decode(const LayerShape& s, std::int64_t nk) {
  LayerShape causal = s;
  causal.causal = Causal::kBottomRight;
  const LayerCost cost = layer_cost(causal, decode_extent(s, nk));
  const LatentShape latent = s.latent.value_or(LatentShape{});
  const Count widths = Count(s.head_dim) - latent.rope_dim + s.head_dim_v;
  const Count again = Count(s.batch) * (Count(cached_tokens(s, nk)) - 1) * s.heads * widths;
  return {cost.projection_macs + again * latent.kv_rank, cost.attention_macs};
}

}  // namespace attnlab
