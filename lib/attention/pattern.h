// Which keys a query sees, by definition: the readable form that references and tests use. Kernels
// walk the same patterns block by block (segments.h).
#ifndef ATTNLAB_ATTENTION_PATTERN_H_
#define ATTNLAB_ATTENTION_PATTERN_H_

#include <array>
#include <cstdint>
#include <span>

#include "attention/problem.h"

namespace attnlab {

// Sets visible[j] to 1 for each key j that query `query` of head `head` sees and to 0 for the
// others. visible has nk elements. Masks are not looked at.
void mark_visible(const Problem& problem, Operator op, std::int64_t head, std::int64_t query,
                  std::span<std::uint8_t> visible);

// How many those are, without looking at each.
std::int64_t visible_keys(const Problem& problem, Operator op, std::int64_t head,
                          std::int64_t query);

// BigBird's random keys: blocks of kBigBirdBlock keys, drawn anew for every head and every block of
// as many queries, from the blocks that neither window nor global tokens of these queries touch
// (and, when causal, that lie in their past). Where there are too few, all of them are taken.
inline constexpr std::int64_t kBigBirdBlock = 64;
inline constexpr std::int64_t kMaxRandomBlocks = 64;
struct RandomBlocks {
  int count = 0;
  std::array<std::int64_t, kMaxRandomBlocks> index;  // ascending; keys [64 i, min(64 i + 64, nk))
};
RandomBlocks random_key_blocks(const Problem& problem, std::int64_t head, std::int64_t query_block);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_PATTERN_H_
