// How many (query, key) couples a mask leaves, exactly; and how their number grows with n.
//   full       every query with every key
//   causal     query i with the keys up to its own place: n (n + 1) / 2 at nq = nk = n
//   window W   the W keys that end with the query's own when causal, |i - j| < W otherwise
//   chunk C    the keys of the query's own chunk of C places, further cut by causality
#ifndef ATTNLAB_COST_PAIRS_H_
#define ATTNLAB_COST_PAIRS_H_

#include <cstdint>
#include <optional>

#include "cost/causal.h"
#include "cost/count.h"

namespace attnlab {

// How far a query sees, causality apart: everything, a window, or its chunk. Beside a window, the
// first global_tokens places see all keys and are seen by all queries, as far as causality allows.
struct Reach {
  std::optional<std::int64_t> window{};
  std::optional<std::int64_t> chunk{};
  std::int64_t global_tokens = 0;
  bool operator==(const Reach&) const = default;
};

// The couples of one head at nq queries and nk keys, both at least 0.
Count visible_pairs(Causal causal, const Reach& reach, std::int64_t nq, std::int64_t nk);

// The couples at nq = nk = n, without global tokens, as a polynomial square n^2 + linear n +
// constant, for real n in [from, until): the continuation by which crossovers are found.
struct PairCurve {
  double square = 0, linear = 0, constant = 0;
  double until = 0;  // where another polynomial begins; infinity for the last
};
PairCurve pair_curve(Causal causal, const Reach& reach, double from);

}  // namespace attnlab

#endif  // ATTNLAB_COST_PAIRS_H_
