// What memory can deliver: a loop that reads the keys and values of a cache in the order in which
// the decode kernel reads them, on the same team, and does nothing else with them.
#ifndef ATTNLAB_TESTS_ATTENTION_BENCH_READ_LOOP_H_
#define ATTNLAB_TESTS_ATTENTION_BENCH_READ_LOOP_H_

#include <cstddef>
#include <cstdint>

#include "attention/operands.h"
#include "attention/problem.h"
#include "machine/isa.h"
#include "machine/thread_team.h"

namespace attnlab {

struct ReadLoop {
  Isa isa;
  // Reads bytes [begin, begin + bytes), a multiple of 64; returns a number that depends on each.
  std::uint64_t (*read)(const std::byte* begin, std::int64_t bytes);
  // The same, asking for as many bytes from `ahead` on meanwhile.
  std::uint64_t (*read_ahead)(const std::byte* begin, std::int64_t bytes, const std::byte* ahead);
};

// What is asked for meanwhile: what lies so many bytes further on, 0 for nothing; while values are
// read, the next block's keys instead.
struct Asking {
  std::int64_t bytes = 0;
  bool next_keys = false;
};
// None, as decode does for float32, as it does for the others, and far ahead.
inline constexpr Asking kAskings[] = {{}, {2048, true}, {3072}, {8192}};

// Reads k and v [B, Hkv, Nk, ...] and their scales, all without gaps: chunks of keys over the team,
// in each chunk a block of keys, then the values of the block.
void read_cache(const Problem& problem, const Operands& operands, Isa isa, const Asking& asking,
                ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_ATTENTION_BENCH_READ_LOOP_H_
