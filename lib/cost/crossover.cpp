#include "cost/crossover.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

constexpr double kLargest = 1e12;  // no crossover is looked for beyond
constexpr int kMostPieces = 100'000;

double number(const Count& count) {
  return count.value() ? static_cast<double>(*count.value())
                       : std::numeric_limits<double>::infinity();
}

// Multiply-adds of a (query, key) couple of every head, all layers of a group.
double attention_cost(std::int64_t layers, const LayerShape& shape) {
  return static_cast<double>(layers) * static_cast<double>(shape.heads) *
         static_cast<double>(shape.head_dim + shape.head_dim_v);
}

// Attention less linear work on one piece, divided by n where that leaves no pole: a n^2 + b n + c.
struct Difference {
  double a = 0, b = 0, c = 0;
  double at(double n) const { return (a * n + b) * n + c; }
};

// The smallest n >= from (above 0) at which the difference is 0 and rises or stays.
std::optional<double> first_root(const Difference& d, double from) {
  if (d.c == 0 && d.a > 0) {  // the plain case: n (a n + b) = 0, exact where the numbers are
    const double n = -d.b / d.a;
    return n > 0 && n >= from ? std::optional(n) : std::nullopt;
  }
  if (d.a == 0) {
    if (d.b == 0) return std::nullopt;
    const double n = -d.c / d.b;
    return n > 0 && n >= from ? std::optional(n) : std::nullopt;
  }
  const double under_root = d.b * d.b - 4 * d.a * d.c;
  if (under_root < 0) return std::nullopt;
  const double q = -(d.b + std::copysign(std::sqrt(under_root), d.b)) / 2;
  double low = q / d.a, high = q != 0 ? d.c / q : low;
  if (low > high) std::swap(low, high);
  if (low > 0 && low >= from) return low;
  return high > 0 && high >= from ? std::optional(high) : std::nullopt;
}

// Below this n attention costs less than `linear` a token even if every windowed or chunked query
// saw as many keys as it ever does; infinity when that holds for every n.
double lowest_possible(std::span<const LayerGroup> groups, double linear) {
  double slope = 0, most = 0;
  for (const auto& [layers, shape] : groups) {
    if (!shape.has_attention) continue;
    const bool causal = shape.causal != Causal::kNone && !shape.is_cross;
    const double cost = attention_cost(layers, shape);
    if (shape.reach.window) {
      const auto w = static_cast<double>(*shape.reach.window);
      most += cost * (causal ? w : 2 * w - 1);
    } else if (shape.reach.chunk) {
      const auto c = static_cast<double>(*shape.reach.chunk);
      most += cost * (causal ? (c + 1) / 2 : c);
    } else {
      slope += cost * (causal ? 0.5 : 1.0);
      most += causal ? cost * 0.5 : 0;
    }
  }
  if (most >= linear) return 0;
  if (slope == 0) return std::numeric_limits<double>::infinity();
  return (linear - most) / slope * (1 - 1e-9);
}

}  // namespace

Crossover crossover(std::span<const LayerGroup> groups, LinearWork work) {
  double linear = 0;
  bool any_attention = false;
  for (const auto& [layers, shape] : groups) {
    Count per_token = projection_macs_per_token(shape);
    if (work == LinearWork::kProjectionsAndFeedForward) {
      per_token = per_token + ffn_macs_per_token(shape);
    }
    linear += static_cast<double>(layers) * number(per_token);
    any_attention = any_attention || shape.has_attention;
  }
  if (!any_attention) return {std::nullopt, "no attention in it"};
  double from = lowest_possible(groups, linear);
  for (int piece = 0; piece < kMostPieces && from < kLargest; ++piece) {
    Difference difference{0, -linear, 0};
    double until = std::numeric_limits<double>::infinity();
    for (const auto& [layers, shape] : groups) {
      if (!shape.has_attention) continue;
      const PairCurve curve =
          pair_curve(shape.is_cross ? Causal::kNone : shape.causal, shape.reach, from);
      const double cost = attention_cost(layers, shape);
      difference.a += cost * curve.square;
      difference.b += cost * curve.linear;
      difference.c += cost * curve.constant;
      until = std::min(until, curve.until);
    }
    const auto root = first_root(difference, from);
    if (root && *root <= until) return {*root, ""};
    if (std::isinf(until)) break;
    from = until;
  }
  return {std::nullopt, "attention never costs more: with this mask a query sees too few keys"};
}

}  // namespace attnlab
