// What is computed: the shape, mask, scale and numbers of one attention problem, without any data.
//
//   score(i, j)  = (scale * q_i . k_j + mask(i, j)) / temperature, for the keys j that query i sees
//   weight(i, :) = softmax of the scores of row i;   o_i = sum_j weight(i, j) v_j
//   q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
//
// Query head h reads key head h / (Hq / Hkv). A key whose score is -inf is hidden; a row with every
// key hidden is a row of zeros. Temperature 0 is the limit: the largest scores share the weight.
#ifndef ATTNLAB_ATTENTION_PROBLEM_H_
#define ATTNLAB_ATTENTION_PROBLEM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attention/stages.h"
#include "cost/causal.h"
#include "tensor/dtype.h"
#include "tensor/mask.h"

namespace attnlab {

// What a kernel computes: softmax attention over all keys (dense) or over a pattern of them, or a
// linear substitute for it. Kernels of one operator differ in rounding only.
enum class Operator {
  kDense,      // every key that causality and mask allow
  kWindow,     // a sliding window and global tokens
  kBigBird,    // the same and random blocks of keys
  kStrided,    // the last `stride` keys and every stride-th one
  kLinear,     // feature map elu(x) + 1 in place of the exponential
  kPerformer,  // positive orthogonal random features for the exponential
};
inline constexpr Operator kOperators[] = {Operator::kDense,   Operator::kWindow,
                                          Operator::kBigBird, Operator::kStrided,
                                          Operator::kLinear,  Operator::kPerformer};
std::string_view operator_name(Operator op);  // dense, window, bigbird, strided, linear, performer
constexpr bool has_softmax(Operator op) {
  return op != Operator::kLinear && op != Operator::kPerformer;
}

// The mask's kind and the axes along which it differs; it always differs along the keys.
struct MaskShape {
  MaskKind kind = MaskKind::kNone;
  bool per_batch = false;
  bool per_head = false;
  bool per_query = true;
};

// How exactly products must be computed, as oneDNN's floating-point math mode.
enum class FpMath {
  kStrict,  // in float32
  kBf16,    // factors may be rounded to bf16 before they are multiplied; sums are float32
};
std::span<const std::string_view> choice_names(FpMath);  // strict, bf16

struct Problem {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t nq = 1;
  std::int64_t nk = 1;
  std::int64_t head_dim = 1;
  std::int64_t head_dim_v = 1;
  Causal causal = Causal::kNone;
  std::optional<double> scale{};  // 1 / sqrt(head_dim) if not given
  double temperature = 1;
  MaskShape mask{};
  Dtype dtype = Dtype::kF32;         // of q, k and v (int8: of k and v)
  Dtype output_dtype = Dtype::kF32;  // or bf16; see Operands
  FpMath fpmath = FpMath::kStrict;   // in f32; products of bf16 are those of bf16 inputs anyway

  // Read by the operators that have them.
  std::int64_t window = 256;
  std::int64_t global_tokens = 0;
  std::int64_t stride = 0;         // strided; 0: the whole number nearest to sqrt(nk)
  std::int64_t random_blocks = 3;  // bigbird; blocks of 64 keys for each block of 64 queries
  std::int64_t features = 256;     // performer
  std::uint64_t seed = 1;          // of random blocks and random features

  StageSet left_out{};  // for `attnlab profile`: with any, the output has no meaning

  double effective_scale() const;
  std::int64_t effective_stride() const;
  std::int64_t shift() const { return query_shift(causal, nq, nk); }
  std::int64_t kv_head(std::int64_t head) const { return head / (heads / kv_heads); }
};

// n queries on n keys, ungrouped heads of one size.
Problem self_attention(std::int64_t batch, std::int64_t heads, std::int64_t n,
                       std::int64_t head_dim);

// What is wrong with the numbers, as "window 0 is too small"; empty if nothing is.
std::string problem_error(const Problem& problem);

// Of the linear operators: heads that sum over keys of their own. Query heads that share a key head
// share its sums, unless each hides keys of its own.
std::int64_t summing_heads(const Problem& problem);

// Query-key pairs of the whole problem (batch x heads) that the operator's pattern has; masks do
// not count. nullopt past 2^63 - 1. For softmax operators.
std::optional<std::int64_t> total_pairs(const Problem& problem, Operator op);

// Multiply-adds the operator needs: two contractions over the pairs; for the linear operators the
// projections to features, keys' sums and queries' products. Exponentials and repeated work are
// not counted. nullopt past 2^63 - 1.
std::optional<std::int64_t> multiply_adds(const Problem& problem, Operator op);

// Bytes of keys and values, with the scales of int8 (float32, one for each token and head).
std::optional<std::int64_t> cache_bytes(const Problem& problem);

// Bytes of q, k, v and the mask, each read once, and of o written once.
std::optional<std::int64_t> operand_bytes(const Problem& problem);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_PROBLEM_H_
