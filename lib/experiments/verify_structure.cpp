// Claims on what attention is: how it treats the order of tokens, and that nothing in it is
// learned.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cost/layer.h"
#include "experiments/verify_groups.h"
#include "experiments/verify_kernels.h"

namespace attnlab {
namespace {

constexpr std::int64_t kTokens = 96, kSize = 32;
constexpr double kSame = 1e-5, kDifferent = 1e-2;

// A fixed order of the tokens in which none stays where it is.
std::vector<std::size_t> permutation() {
  std::vector<std::size_t> out(kTokens);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (i * 35 + 17) % out.size();
  return out;
}

std::vector<float> permuted(const std::vector<float>& rows, const std::vector<std::size_t>& order) {
  std::vector<float> out(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(order[i] * kSize), kSize,
                out.begin() + static_cast<std::ptrdiff_t>(i * kSize));
  }
  return out;
}

// The output for x, that for the permuted tokens, and that for permuted keys and values alone.
struct Outputs {
  std::vector<float> plain, tokens, keys;
};
Outputs outputs_of(const ClaimContext& context, const std::vector<std::size_t>& order) {
  const Problem problem = self_attention(1, 1, kTokens, kSize);
  const Kernel& kernel = *context.kernel("flash");
  const QueryKeyValue x = random_operands(problem, context.seed);
  const QueryKeyValue tokens{permuted(x.q, order), permuted(x.k, order), permuted(x.v, order)};
  return {attend(kernel, problem, x, context.team), attend(kernel, problem, tokens, context.team),
          attend(kernel, problem, {x.q, tokens.k, tokens.v}, context.team)};
}

void invariant(const ClaimContext& context, Findings& out) {
  const std::vector<std::size_t> order = permutation();
  const Outputs o = outputs_of(context, order);
  const double joint = largest_difference(o.keys, o.plain);
  const double moved = largest_difference(o.tokens, permuted(o.plain, order));
  const double stayed = largest_difference(o.tokens, o.plain);
  out.number({.quantity = "change when keys and values are permuted together", .value = joint});
  out.number({.quantity = "difference of out(P x) and P out(x)", .value = moved});
  out.number({.quantity = "difference of out(P x) and out(x)", .value = stayed});
  out.core(
      truth_of(joint < kSame), "",
      fmt::format("a joint permutation of keys and values changes the output by {:.2g}", joint));
  out.wording(truth_of(stayed < kDifferent), "",
              fmt::format("equivariant: out(P x) differs from out(x) by {:.2g}, from P out(x) by "
                          "{:.1g}; invariant only to a joint permutation of keys and values",
                          stayed, moved));
  out.measured(
      fmt::format("out(P x) - out(x): {:.2f}; keys and values alone: {:.1g}", stayed, joint));
}

void equivariant(const ClaimContext& context, Findings& out) {
  const std::vector<std::size_t> order = permutation();
  const Outputs o = outputs_of(context, order);
  const double moved = largest_difference(o.tokens, permuted(o.plain, order));
  out.number({.quantity = "difference of out(P x) and P out(x)", .value = moved});
  out.core(truth_of(moved < kSame), "",
           fmt::format("out(P x) differs from P out(x) by {:.2g}", moved));
  out.measured(fmt::format("out(P x) - P out(x): {:.1g}", moved));
}

void no_parameters(const ClaimContext& context, Findings& out) {
  // Numbers that the parts of attention read beside queries, keys, values and each other's results.
  LayerShape layer;
  const std::int64_t n = 64, heads = layer.heads, d = layer.head_dim, width = layer.width;
  const LayerCost cost = layer_cost(layer, {n, n, n});
  std::int64_t attention = 0, projections = 0;
  for (const LayerPart& part : cost.parts) {
    const std::int64_t numbers = part.bytes.value().value() / bytes_of(layer.storage);
    if (part.name == "scores" || part.name == "weighted_sum") {
      attention += numbers - heads * (2 * n * d + n * n);
    } else if (part.name == "softmax") {
      attention += numbers - 2 * heads * n * n;
    } else if (part.name != "ffn") {
      projections += numbers - 2 * n * width;
    }
  }
  out.number({.quantity = "parameters that attention reads, D = 768",
              .value = static_cast<double>(attention)});
  out.number({.quantity = "parameters of the projections around it",
              .value = static_cast<double>(projections)});
  out.core(truth_of(attention == 0), "", fmt::format("it reads {} further numbers", attention));
  out.core(truth_of(projections == 4 * width * width), "",
           fmt::format("the projections have {} parameters", projections));
  // Whatever lies in the memory that it works in, the same q, k, v give the same bits.
  const Problem problem = self_attention(1, 2, kTokens, kSize);
  const Kernel& kernel = *context.kernel("flash");
  const QueryKeyValue x = random_operands(problem, context.seed);
  const Index4 shape{1, 2, kTokens, kSize};
  std::vector<std::vector<float>> results;
  for (const int filling : {0x00, 0x5A, 0xFF}) {
    const AlignedBuffer workspace(kernel.workspace(problem, context.team.threads()));
    std::memset(workspace.data(), filling, static_cast<std::size_t>(workspace.bytes()));
    if (kernel.prepare) kernel.prepare(problem, workspace.span(), context.team.threads());
    std::vector<float>& o = results.emplace_back(x.q.size());
    kernel.run(problem,
               {.q = ConstView(x.q.data(), shape),
                .k = ConstView(x.k.data(), shape),
                .v = ConstView(x.v.data(), shape),
                .o = View(o.data(), shape)},
               workspace.span(), context.team);
  }
  out.core(truth_of(results[0] == results[1] && results[0] == results[2]), "",
           "the output depends on more than q, k and v");
  out.measured(fmt::format("{} parameters, its projections have {}", attention, projections));
}

}  // namespace

void add_structure_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back({"permutation-invariant", "attention is invariant to permutation", "explainer",
                 K::kComputed,
                 "a kernel's output for tokens in another order, and for keys and values alone",
                 V::kImprecise,
                 "equivariant, out(P x) = P out(x); invariant only to a joint permutation of keys "
                 "and values",
                 0.1, invariant});
  out.push_back({"permutation-equivariant", "permuted tokens have permuted outputs", "ledger",
                 K::kComputed, "a kernel's output for tokens in another order", V::kHolds,
                 "out(P x) = P out(x)", 0.1, equivariant});
  out.push_back({"no-parameters", "attention itself has no parameters", "explainer", K::kCounted,
                 "numbers that each part of a layer reads beside activations; the same bits "
                 "whatever lies in the workspace",
                 V::kHolds, "holds", 0.1, no_parameters});
}

}  // namespace attnlab
