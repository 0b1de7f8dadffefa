#include "attention/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "attention/pattern.h"
#include "base/check.h"
#include "cost/pairs.h"

namespace attnlab {
namespace {

constexpr std::pair<Operator, std::string_view> kOperatorNames[] = {
    {Operator::kDense, "dense"},     {Operator::kWindow, "window"},
    {Operator::kBigBird, "bigbird"}, {Operator::kStrided, "strided"},
    {Operator::kLinear, "linear"},   {Operator::kPerformer, "performer"}};

constexpr std::int64_t kMaxFeatures = 1 << 20;

Count product(std::initializer_list<Count> factors) {
  Count out = 1;
  for (const Count& factor : factors) out = out * factor;
  return out;
}

}  // namespace

std::string_view operator_name(Operator op) {
  for (const auto& [value, name] : kOperatorNames) {
    if (value == op) return name;
  }
  return "";
}

std::span<const std::string_view> choice_names(FpMath) {
  static constexpr std::string_view kNames[] = {"strict", "bf16"};
  return kNames;
}

double Problem::effective_scale() const {
  return scale.value_or(1 / std::sqrt(static_cast<double>(head_dim)));
}

std::int64_t Problem::effective_stride() const {
  return stride > 0 ? stride
                    : std::max<std::int64_t>(std::llround(std::sqrt(static_cast<double>(nk))), 1);
}

Problem self_attention(std::int64_t batch, std::int64_t heads, std::int64_t n,
                       std::int64_t head_dim) {
  return {.batch = batch,
          .heads = heads,
          .kv_heads = heads,
          .nq = n,
          .nk = n,
          .head_dim = head_dim,
          .head_dim_v = head_dim};
}

std::string problem_error(const Problem& problem) {
  const std::pair<std::string_view, std::int64_t> at_least_1[] = {
      {"batch", problem.batch},
      {"heads", problem.heads},
      {"kv_heads", problem.kv_heads},
      {"nq", problem.nq},
      {"nk", problem.nk},
      {"head_dim", problem.head_dim},
      {"head_dim_v", problem.head_dim_v},
      {"window", problem.window},
      {"features", problem.features}};
  for (const auto& [name, value] : at_least_1) {
    if (value < 1) return fmt::format("{} {} is below 1", name, value);
    // Positions, strides and their sums then stay far within 64 bits.
    if (value >= std::int64_t{1} << 40) return fmt::format("{} {} is too large", name, value);
  }
  const std::pair<std::string_view, std::int64_t> at_least_0[] = {
      {"global_tokens", problem.global_tokens},
      {"stride", problem.stride},
      {"random_blocks", problem.random_blocks}};
  for (const auto& [name, value] : at_least_0) {
    if (value < 0) return fmt::format("{} {} is negative", name, value);
    if (value >= std::int64_t{1} << 40) return fmt::format("{} {} is too large", name, value);
  }
  if (problem.random_blocks > kMaxRandomBlocks) {
    return fmt::format("random_blocks {} is above {}", problem.random_blocks, kMaxRandomBlocks);
  }
  if (problem.features > kMaxFeatures) {
    return fmt::format("features {} is above {}", problem.features, kMaxFeatures);
  }
  if (problem.heads % problem.kv_heads != 0) {
    return fmt::format("{} heads cannot share {} key heads evenly", problem.heads,
                       problem.kv_heads);
  }
  if (!std::isfinite(problem.effective_scale())) return "the scale is not finite";
  if (!(problem.temperature >= 0 && std::isfinite(problem.temperature))) {
    return fmt::format("temperature {} is not a finite number from 0 on", problem.temperature);
  }
  if (problem.output_dtype != Dtype::kF32 && problem.output_dtype != Dtype::kBf16) {
    return fmt::format("an output in {} is none that kernels write",
                       dtype_name(problem.output_dtype));
  }
  if (!operand_bytes(problem)) return "the operands pass 2^63 bytes";
  return "";
}

std::int64_t summing_heads(const Problem& problem) {
  const bool own_masks = problem.mask.kind != MaskKind::kNone && problem.mask.per_head;
  return own_masks ? problem.heads : problem.kv_heads;
}

std::optional<std::int64_t> total_pairs(const Problem& problem, Operator op) {
  ATTNLAB_CHECK(has_softmax(op));
  if (op == Operator::kDense || op == Operator::kWindow) {
    Reach reach;
    if (op == Operator::kWindow) {
      reach.window = problem.window;
      reach.global_tokens = problem.global_tokens;
    }
    const Count of_head = visible_pairs(problem.causal, reach, problem.nq, problem.nk);
    return product({of_head, problem.batch, problem.heads}).value();
  }
  const std::int64_t distinct_heads = op == Operator::kBigBird ? problem.heads : 1;
  Count out = 0;
  for (std::int64_t head = 0; head < distinct_heads; ++head) {
    for (std::int64_t query = 0; query < problem.nq; ++query) {
      out = out + visible_keys(problem, op, head, query);
    }
  }
  return product({out, problem.batch, problem.heads / distinct_heads}).value();
}

std::optional<std::int64_t> multiply_adds(const Problem& problem, Operator op) {
  const std::int64_t d = problem.head_dim, dv = problem.head_dim_v;
  if (has_softmax(op)) {
    const auto pairs = total_pairs(problem, op);
    return pairs ? (Count(*pairs) * (d + dv)).value() : std::nullopt;
  }
  const bool performer = op == Operator::kPerformer;
  const std::int64_t features = performer ? problem.features : d;
  const std::int64_t projection = performer ? d : 0;
  const Count keys =
      product({problem.batch, summing_heads(problem), problem.nk, features, projection + dv});
  const Count queries =  // and one product with the features' sums, for the denominator
      product({problem.batch, problem.heads, problem.nq, features, projection + dv + 1});
  return (keys + queries).value();
}

std::optional<std::int64_t> cache_bytes(const Problem& problem) {
  const std::int64_t scales = problem.dtype == Dtype::kInt8 ? 2 * 4 : 0;
  const Count token =
      product({problem.head_dim + problem.head_dim_v, dtype_bytes(problem.dtype)}) + scales;
  return product({problem.batch, problem.kv_heads, problem.nk, token}).value();
}

std::optional<std::int64_t> operand_bytes(const Problem& problem) {
  const std::int64_t element = dtype_bytes(problem.dtype);
  const std::int64_t query_element =  // int8 is for caches of keys and values
      problem.dtype == Dtype::kInt8 ? 4 : element;
  const MaskShape& mask = problem.mask;
  const std::int64_t mask_element = mask.kind == MaskKind::kNone      ? 0
                                    : mask.kind == MaskKind::kBoolean ? 1
                                                                      : 4;
  const auto cache = cache_bytes(problem);
  if (!cache) return std::nullopt;
  const Count parts[] = {
      product({problem.batch, problem.heads, problem.nq, problem.head_dim, query_element}), *cache,
      product({problem.batch, problem.heads, problem.nq, problem.head_dim_v,
               dtype_bytes(problem.output_dtype)}),
      product({mask.per_batch ? problem.batch : 1, mask.per_head ? problem.heads : 1,
               mask.per_query ? problem.nq : 1, problem.nk, mask_element})};
  return std::accumulate(std::begin(parts), std::end(parts), Count(0)).value();
}

}  // namespace attnlab
