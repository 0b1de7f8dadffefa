#include "cost/layer.h"

#include <algorithm>

namespace attnlab {
namespace {

// 1 + 2 + ... + n for n < 2^63 - 1; the even one of n, n + 1 is halved first.
Count triangle(std::int64_t n) {
  if (n <= 0) return 0;
  return n % 2 == 0 ? Count(n / 2) * (n + 1) : Count(n) * (n / 2 + 1);
}

// Couples (i, j) with 0 <= i < nq, 0 <= j < nk and j <= i + offset.
Count pairs_up_to(std::int64_t nq, std::int64_t nk, std::int64_t offset) {
  // Query i sees min(nk, i + offset + 1) keys, at least 0: first rows with none, then growing ones,
  // then full ones.
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, nq);  // first row that sees any
  const std::int64_t full = std::clamp<std::int64_t>(nk - offset - 1, first, nq);  // first full row
  return triangle(full + offset) - triangle(first + offset) + Count(nq - full) * nk;
}

double linear_per_token(const LayerShape& s) {
  const auto h = static_cast<double>(s.heads), hkv = static_cast<double>(s.kv_heads);
  return static_cast<double>(s.width) * static_cast<double>(s.head_dim + s.head_dim_v) * (h + hkv);
}

double ffn_per_token(const LayerShape& s) {
  return (s.ffn_gated ? 3.0 : 2.0) * static_cast<double>(s.width) * static_cast<double>(s.ffn) *
         static_cast<double>(s.active_experts);
}

// Solves h (dqk + dv) pairs(n) = linear n for the real n, pairs continued to real numbers.
Crossover crossover(const LayerShape& s, double linear) {
  const double seen = linear / (static_cast<double>(s.heads) *
                                static_cast<double>(s.head_dim + s.head_dim_v));  // keys a query
  const bool causal = s.causal != CausalMask::kNone;
  const double unwindowed = causal ? 2 * seen - 1 : seen;
  if (!s.window || unwindowed <= static_cast<double>(*s.window)) return {unwindowed, ""};
  // pairs(n) = most n - lost for n >= W: each query sees `most` keys but for those near the ends.
  const auto w = static_cast<double>(*s.window);
  const double most = causal ? w : 2 * w - 1;
  const double lost = causal ? w * (w - 1) / 2 : w * (w - 1);
  if (most <= seen) {
    return {std::nullopt, "attention never costs more: with this window a query sees too few keys"};
  }
  return {lost / (most - seen), ""};
}

}  // namespace

std::span<const std::string_view> choice_names(CausalMask) {
  static constexpr std::string_view kNames[] = {"none", "top-left", "bottom-right"};
  return kNames;
}

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

Count visible_pairs(CausalMask causal, std::optional<std::int64_t> window, std::int64_t nq,
                    std::int64_t nk) {
  // Without a causal mask |i - j| < W counts j against i itself, as top-left does.
  const std::int64_t shift = causal == CausalMask::kBottomRight ? nk - nq : 0;
  const Count last = causal == CausalMask::kNone
                         ? (window ? pairs_up_to(nq, nk, *window - 1) : Count(nq) * nk)
                         : pairs_up_to(nq, nk, shift);
  return window ? last - pairs_up_to(nq, nk, shift - *window) : last;
}

LayerCost layer_cost(const LayerShape& s, std::int64_t nq, std::int64_t nk) {
  const Count batch = s.batch, size = bytes_of(s.storage);
  const Count new_keys = std::min(nq, nk);
  const Count q_width = Count(s.heads) * s.head_dim, k_width = Count(s.kv_heads) * s.head_dim;
  const Count v_width = Count(s.kv_heads) * s.head_dim_v, o_width = Count(s.heads) * s.head_dim_v;
  const Count width = s.width;
  const Count pairs = batch * s.heads * visible_pairs(s.causal, s.window, nq, nk);
  const Count active = Count(s.ffn_gated ? 3 : 2) * s.active_experts;
  const auto projection = [&](std::string_view name, Count tokens, Count in, Count out) {
    return LayerPart{name, batch * tokens * in * out,
                     size * (batch * tokens * (in + out) + in * out), 0};
  };

  LayerCost cost;
  cost.parts = {
      projection("q", nq, width, q_width),
      projection("k", new_keys, width, k_width),
      projection("v", new_keys, width, v_width),
      projection("o", nq, o_width, width),
      {"scores", pairs * s.head_dim, size * (batch * nq * q_width + batch * nk * k_width + pairs),
       0},
      {"softmax", 0, size * (pairs + pairs), pairs},
      {"weighted_sum", pairs * s.head_dim_v,
       size * (pairs + batch * nk * v_width + batch * nq * o_width), 0},
      {"ffn", batch * nq * active * width * s.ffn,
       size * (batch * nq * (width + width) + active * width * s.ffn), 0},
  };
  const auto& p = cost.parts;
  cost.projection_macs = p[0].macs + p[1].macs + p[2].macs + p[3].macs;
  cost.attention_macs = p[4].macs + p[6].macs;
  cost.ffn_macs = p[7].macs;
  cost.score_bytes = batch * s.heads * nq * nk * size;
  cost.kv_cache_bytes_per_token = (k_width + v_width) * size;
  return cost;
}

Crossover crossover_projections(const LayerShape& shape) {
  return crossover(shape, linear_per_token(shape));
}

Crossover crossover_all_linear(const LayerShape& shape) {
  return crossover(shape, linear_per_token(shape) + ffn_per_token(shape));
}

}  // namespace attnlab
