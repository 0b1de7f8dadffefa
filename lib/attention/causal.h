// Which keys lie in a query's past, when queries and keys may differ in number.
#ifndef ATTNLAB_ATTENTION_CAUSAL_H_
#define ATTNLAB_ATTENTION_CAUSAL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace attnlab {

// kTopLeft: query i stands at key i. kBottomRight: the last query stands at the last key, so that
// a block of queries shorter than the keys ends with the keys. Either sees keys up to its own.
enum class Causal { kNone, kTopLeft, kBottomRight };

// The name in flags and results: none, top-left, bottom-right.
std::string_view causal_name(Causal causal);
std::optional<Causal> causal_from_name(std::string_view name);

// Query i stands at key position i + query_shift; negative positions see nothing.
constexpr std::int64_t query_shift(Causal causal, std::int64_t nq, std::int64_t nk) {
  return causal == Causal::kBottomRight ? nk - nq : 0;
}

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_CAUSAL_H_
