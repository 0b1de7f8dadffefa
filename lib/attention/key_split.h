// How decode cuts a cache: chunks of keys that depend on their number alone, so that the bits are
// the same for any team.
#ifndef ATTNLAB_ATTENTION_KEY_SPLIT_H_
#define ATTNLAB_ATTENTION_KEY_SPLIT_H_

#include <algorithm>
#include <cstdint>

namespace attnlab {

struct KeySplit {
  std::int64_t chunk_keys, chunks;

  explicit constexpr KeySplit(std::int64_t keys) {
    constexpr std::int64_t kLeast = 256, kMostChunks = 64, kWhole = 64;
    const std::int64_t share = (keys + kMostChunks - 1) / kMostChunks;
    chunk_keys = std::max(kLeast, (share + kWhole - 1) / kWhole * kWhole);
    chunks = (keys + chunk_keys - 1) / chunk_keys;
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KEY_SPLIT_H_
