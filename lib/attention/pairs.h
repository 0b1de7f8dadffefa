// How many query-key pairs an attention pattern evaluates: exact, from shapes alone, no operands.
// Shared by the kernels' multiply-adds and by cost.
#ifndef ATTNLAB_ATTENTION_PAIRS_H_
#define ATTNLAB_ATTENTION_PAIRS_H_

#include <cstdint>
#include <optional>

#include "attention/causal.h"

namespace attnlab {

// One head. A window of W keys includes the query's own when causal and is |i - j| < W otherwise.
// The first global_tokens positions see all keys and are seen by all queries, as far as causality
// allows either; they matter with a window only.
struct PairShape {
  std::int64_t nq = 1;
  std::int64_t nk = 1;
  Causal causal = Causal::kNone;
  std::optional<std::int64_t> window{};
  std::int64_t global_tokens = 0;
};

// The pairs seen by all queries together, in closed form; nullopt when they pass 2^63 - 1.
std::optional<std::int64_t> count_pairs(const PairShape& shape);

// a * b, nullopt when it (or a factor) does not fit; for non-negative factors.
std::optional<std::int64_t> checked_product(std::optional<std::int64_t> a,
                                            std::optional<std::int64_t> b);
std::optional<std::int64_t> checked_sum(std::optional<std::int64_t> a,
                                        std::optional<std::int64_t> b);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_PAIRS_H_
