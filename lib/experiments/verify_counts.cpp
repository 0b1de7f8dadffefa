// Claims on multiply-adds: counted by lib/cost from shapes and, where they can be, by loops that do
// nothing but count.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "attention/pattern.h"
#include "cost/crossover.h"
#include "cost/layer.h"
#include "experiments/verify_counting.h"
#include "experiments/verify_groups.h"
#include "tensor/contraction_plan.h"

namespace attnlab {
namespace {

std::int64_t exact(const Count& count) { return count.value().value(); }

// The multiply-adds of a part of a layer's cost.
std::int64_t part_macs(const LayerCost& cost, std::string_view name) {
  for (const LayerPart& part : cost.parts) {
    if (part.name == name) return exact(part.macs);
  }
  return 0;
}
std::int64_t exponentials_of(const LayerCost& cost) {
  std::int64_t out = 0;
  for (const LayerPart& part : cost.parts) out += exact(part.exponentials);
  return out;
}

LayerShape layer_of(std::int64_t width, std::int64_t ffn) {
  LayerShape out;
  out.width = width;
  out.heads = out.kv_heads = width / 64;
  out.ffn = {false, ffn};
  return out;
}

// One contraction of a head, counted step by step.
std::int64_t counted_by_loops(std::int64_t n, std::int64_t summed) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t c = 0; c < summed; ++c) ++out;
    }
  }
  return out;
}

std::int64_t counted_by_index(const char* expression, std::int64_t n, std::int64_t d) {
  const Contraction contraction = bind_sizes(parse_index_expression(expression),
                                             {{'b', 1}, {'h', 1}, {'q', n}, {'k', n}, {'d', d}});
  return plan_contraction(contraction).macs;
}

void contractions(const ClaimContext&, Findings& out) {
  for (const std::int64_t n : {128, 1024, 8192}) {
    const LayerCost cost = layer_cost(layer_of(768, 3072), {n, n, n});
    const std::int64_t scores = part_macs(cost, "scores"), sum = part_macs(cost, "weighted_sum");
    out.core(truth_of(scores == sum && scores > 0), "",
             fmt::format("at n = {} they cost {} and {} multiply-adds", n, scores, sum));
    if (n != 1024) continue;
    out.number({.quantity = "multiply-adds of q k^T, D = 768, n = 1024",
                .value = static_cast<double>(scores)});
    out.number({.quantity = "of weights times values", .value = static_cast<double>(sum)});
    out.number({.quantity = "exponentials between them",
                .value = static_cast<double>(exponentials_of(cost))});
    out.remark(fmt::format("the softmax between them is not free: {} exponentials",
                           exponentials_of(cost)));
    out.measured(fmt::format("{} and {} multiply-adds at D = 768, n = 1024", scores, sum));
  }
  const std::int64_t n = 48, d = 20;
  const std::int64_t loops = counted_by_loops(n, d);
  out.number({.quantity = "multiply-adds of one head counted by loops, n = 48, d = 20",
              .value = static_cast<double>(loops)});
  out.core(truth_of(counted_by_index("bhqd,bhkd->bhqk", n, d) == loops &&
                    counted_by_index("bhqk,bhkd->bhqd", n, d) == loops),
           "", "loops count another number than the formula");
  LayerShape unequal = layer_of(768, 3072);
  unequal.head_dim_v = 2 * unequal.head_dim;
  const LayerCost cost = layer_cost(unequal, {128, 128, 128});
  out.core(truth_of(part_macs(cost, "weighted_sum") == 2 * part_macs(cost, "scores")), "",
           "with d_v = 2 d_k the second does not cost twice the first");
  out.remark("when d_k = d_v: with d_v = 2 d_k the second costs twice the first");
}

void outweighs(const ClaimContext&, Findings& out) {
  std::string measured;
  for (const std::int64_t width : {256, 768, 4096}) {
    const LayerShape layer = layer_of(width, 4 * width);
    const std::vector<LayerGroup> groups{{1, layer}};
    const double found = crossover(groups, LinearWork::kProjections).n.value_or(0);
    const double all = crossover(groups, LinearWork::kProjectionsAndFeedForward).n.value_or(0);
    out.number({.quantity = fmt::format("n of equal cost, projections alone, D = {}", width),
                .value = found});
    out.number({.quantity = fmt::format("n of equal cost, with feed-forward 4D, D = {}", width),
                .value = all});
    out.core(truth_of(found == 2.0 * static_cast<double>(width)), "",
             fmt::format("at D = {} they are equal at n = {}", width, found));
    out.core(
        truth_of(all == 6.0 * static_cast<double>(width)), "",
        fmt::format("at D = {} with a feed-forward layer they are equal at n = {}", width, all));
    const auto difference = [&](std::int64_t n) {
      const LayerCost cost = layer_cost(layer, {n, n, n});
      return exact(cost.attention_macs) - exact(cost.projection_macs);
    };
    out.core(truth_of(difference(2 * width) == 0 && difference(2 * width - 1) < 0 &&
                      difference(2 * width + 1) > 0),
             "", fmt::format("the counts at D = {} around 2D do not change order", width));
    measured += fmt::format("{}{:.0f} ({:.0f}) at D = {}", measured.empty() ? "n = " : ", ", found,
                            all, width);
  }
  out.remark("against the projections only: with a 4D feed-forward layer from n > 6D (brackets)");
  out.measured(measured);
}

void past_a_thousand(const ClaimContext&, Findings& out) {
  const LayerShape layer = layer_of(768, 3072);
  const std::vector<LayerGroup> groups{{1, layer}};
  const auto plain = crossover(groups, LinearWork::kProjections).n;
  const auto all = crossover(groups, LinearWork::kProjectionsAndFeedForward).n;
  const LayerCost cost = layer_cost(layer, {1000, 1000, 1000});
  const double share =
      static_cast<double>(exact(cost.attention_macs)) / static_cast<double>(exact(cost.macs()));
  out.number({.quantity = "n from which it outweighs the projections, D = 768",
              .value = plain.value_or(0)});
  out.number({.quantity = "n from which it outweighs all linear work", .value = all.value_or(0)});
  out.number({.quantity = "attention's share of a layer at n = 1000", .value = share});
  out.core(truth_of(plain.has_value() && all.has_value()), "",
           "there is no n from which attention dominates");
  out.wording(
      truth_of(all.value_or(0) < 1100 && share > 0.5), "",
      fmt::format("at D = 768 it outweighs the projections from {:.0f} tokens on, all linear "
                  "work from {:.0f}; at 1000 it is {:.0f} % of the layer",
                  plain.value_or(0), all.value_or(0), 100 * share));
  out.measured(
      fmt::format("n = {:.0f}, with feed-forward {:.0f}", plain.value_or(0), all.value_or(0)));
}

// The slope of log pairs against log n between two lengths.
double growth(std::int64_t few, std::int64_t many, double n_ratio) {
  return std::log(static_cast<double>(many) / static_cast<double>(few)) / std::log(n_ratio);
}

void strided(const ClaimContext&, Findings& out) {
  Problem problem = self_attention(1, 1, 400, 64);
  problem.causal = Causal::kTopLeft;
  const std::int64_t formula = total_pairs(problem, Operator::kStrided).value();
  const std::int64_t loops = pairs_by_loops(problem, Operator::kStrided);
  out.number({.quantity = "pairs counted by loops, n = 400, causal", .value = double(loops)});
  out.core(truth_of(formula == loops), "",
           fmt::format("loops count {} pairs, the formula {}", loops, formula));
  const auto pairs_at = [&](std::int64_t n, std::int64_t stride) {
    Problem p = self_attention(1, 1, n, 64);
    p.causal = Causal::kTopLeft;
    p.stride = stride;
    return total_pairs(p, Operator::kStrided).value();
  };
  constexpr std::int64_t kShort = 4096, kLong = 65536;
  const double best = growth(pairs_at(kShort, 0), pairs_at(kLong, 0), 16);
  const double fixed = growth(pairs_at(kShort, 16), pairs_at(kLong, 16), 16);
  out.number({.quantity = "exponent of n in the pairs, stride sqrt(n)", .value = best});
  out.number({.quantity = "exponent of n in the pairs, stride 16", .value = fixed});
  // n (s + n / s) within a factor: causal rows see half of the far keys.
  const double s = std::sqrt(static_cast<double>(kLong)), n = static_cast<double>(kLong);
  const double said = static_cast<double>(pairs_at(kLong, 0)) / (n * (s + n / s));
  out.number({.quantity = "pairs over n (s + n/s), n = 65536", .value = said});
  out.core(truth_of(said > 0.4 && said < 1.1), "",
           fmt::format("the pairs are {:.2f} times n (s + n/s)", said));
  out.core(truth_of(best < 1.9), "", fmt::format("at its best stride it grows as n^{:.2f}", best));
  out.wording(
      truth_of(best < 1.1), "",
      fmt::format("the keys of a query grow with n: n (s + n/s) pairs, n^{:.2f} at the best "
                  "stride sqrt(n), n^{:.2f} at a fixed one",
                  best, fixed));
  out.measured(fmt::format("pairs grow as n^{:.2f} (stride sqrt n)", best));
}

}  // namespace

std::int64_t pairs_by_loops(const Problem& problem, Operator op) {
  std::int64_t out = 0;
  std::vector<std::uint8_t> visible(static_cast<std::size_t>(problem.nk));
  for (std::int64_t head = 0; head < problem.heads; ++head) {
    for (std::int64_t i = 0; i < problem.nq; ++i) {
      mark_visible(problem, op, head, i, visible);
      for (const std::uint8_t seen : visible) out += seen;
    }
  }
  return out * problem.batch;
}

void add_count_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back(
      {"contractions-cost-the-same", "the two contractions cost the same", "lesson", K::kCounted,
       "multiply-adds of both by lib/cost, by the index view, and by loops that count", V::kHolds,
       "holds in multiply-adds when d_k = d_v; the softmax between them is not free", 0.1,
       contractions});
  out.push_back(
      {"outweighs-at-2D", "attention outweighs the projections at n > 2D", "lesson", K::kCounted,
       "the n of equal multiply-adds for D = 256, 768, 4096, and the counts around it", V::kHolds,
       "holds against projections only; n > 6D against projections + 4D feed-forward", 0.1,
       outweighs});
  out.push_back({"past-a-thousand", "the quadratic term dominates somewhere past a thousand tokens",
                 "explainer", K::kCounted, "the n of equal multiply-adds at D = 768", V::kImprecise,
                 "D = 768: 1536, or 4608 with the feed-forward layer", 0.1, past_a_thousand});
  out.push_back({"strided-is-nk", "sparse attention with a strided pattern costs O(n k)",
                 "explainer", K::kCounted,
                 "pairs of the strided pattern at n = 4096 and 65536, and by loops at n = 400",
                 V::kImprecise,
                 "imprecise for the strided pattern: n (s + n/s), n^1.5 at its best s = sqrt n",
                 0.5, strided});
}

}  // namespace attnlab
