// What the numbers under one seed are used for: each purpose, and each setting that a user would
// expect to be independent of the others, has a Philox key of its own.
#ifndef ATTNLAB_RANDOM_STREAMS_H_
#define ATTNLAB_RANDOM_STREAMS_H_

#include <cstdint>

#include "random/philox.h"

namespace attnlab {

enum class Stream : std::uint32_t {
  kDotProduct = 1,
  kSharedScores,
  kFreshScores,
  kFill,
  kRandomBlocks,  // of keys, in BigBird's pattern
  kDirections     // of Performer's random features
};

// a and b tell streams of one purpose apart.
constexpr Philox::Keys stream_keys(std::uint64_t seed, Stream purpose, std::uint32_t a,
                                   std::uint64_t b) {
  const Philox::Block mixed =
      Philox::block({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32), a,
                     static_cast<std::uint32_t>(purpose)},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return Philox::Keys({mixed[0], mixed[1]});
}

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_STREAMS_H_
