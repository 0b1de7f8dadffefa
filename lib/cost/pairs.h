// How many (query, key) couples a mask leaves, exactly; and how their number grows with n.
//   full       every query with every key
//   causal     query i with the keys up to its own place: n (n + 1) / 2 at nq = nk = n
//   window W   the W keys that end with the query's own when causal, |i - j| < W otherwise
//   chunk C    the keys of the query's own chunk of C places, further cut by causality
#ifndef ATTNLAB_COST_PAIRS_H_
#define ATTNLAB_COST_PAIRS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cost/count.h"

namespace attnlab {

// Which keys a query sees by position. top-left: query i stands at key i; bottom-right: the queries
// are the last of the sequence, so query i stands at key i + nk - nq. They agree where nq = nk.
enum class CausalMask { kNone, kTopLeft, kBottomRight };
std::span<const std::string_view> choice_names(CausalMask);  // none, top-left, bottom-right

// How far a query sees, causality apart: everything, a window, or its chunk.
struct Reach {
  std::optional<std::int64_t> window{};
  std::optional<std::int64_t> chunk{};
  bool operator==(const Reach&) const = default;
};

// The couples of one head at nq queries and nk keys, both at least 0.
Count visible_pairs(CausalMask causal, const Reach& reach, std::int64_t nq, std::int64_t nk);

// The couples at nq = nk = n as a polynomial square n^2 + linear n + constant, for real n in
// [from, until): the continuation by which crossovers are found.
struct PairCurve {
  double square = 0, linear = 0, constant = 0;
  double until = 0;  // where another polynomial begins; infinity for the last
};
PairCurve pair_curve(CausalMask causal, const Reach& reach, double from);

}  // namespace attnlab

#endif  // ATTNLAB_COST_PAIRS_H_
