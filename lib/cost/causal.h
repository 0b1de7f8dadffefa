// Which keys lie in a query's past, when queries and keys may differ in number.
#ifndef ATTNLAB_COST_CAUSAL_H_
#define ATTNLAB_COST_CAUSAL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attnlab {

// kTopLeft: query i stands at key i. kBottomRight: the last query stands at the last key, so that
// a block of queries shorter than the keys ends with the keys. Either sees keys up to its own; they
// agree where nq = nk.
enum class Causal { kNone, kTopLeft, kBottomRight };

std::span<const std::string_view> choice_names(Causal);  // none, top-left, bottom-right
inline std::string_view causal_name(Causal causal) {
  return choice_names(causal)[static_cast<std::size_t>(causal)];
}

// Query i stands at key position i + query_shift; negative positions see nothing.
constexpr std::int64_t query_shift(Causal causal, std::int64_t nq, std::int64_t nk) {
  return causal == Causal::kBottomRight ? nk - nq : 0;
}

}  // namespace attnlab

#endif  // ATTNLAB_COST_CAUSAL_H_
