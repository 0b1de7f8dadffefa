// Philox4x32-10, a counter-based generator: a block of four 32-bit numbers is a function of a
// 128-bit counter and a 64-bit key, so any part of a stream is had without what comes before it.
// Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011, section 3.3.
// philox-inl.h computes many blocks at once.
#ifndef ATTNLAB_RANDOM_PHILOX_H_
#define ATTNLAB_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace attnlab {

struct Philox {
  using Counter = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;
  using Block = std::array<std::uint32_t, 4>;

  static constexpr int kRounds = 10;
  static constexpr std::uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  static constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;

  // The key of every round.
  struct Keys {
    std::array<Key, kRounds> round;
    explicit constexpr Keys(Key key) : round{} {
      for (Key& one : round) {
        one = key;
        key = {key[0] + kWeyl0, key[1] + kWeyl1};
      }
    }
  };

  static constexpr Block block(Counter x, Key seed) {
    for (const Key& key : Keys(seed).round) {
      const std::uint64_t p0 = std::uint64_t{kMultiplier0} * x[0];
      const std::uint64_t p1 = std::uint64_t{kMultiplier1} * x[2];
      x = {high(p1) ^ x[1] ^ key[0], static_cast<std::uint32_t>(p1), high(p0) ^ x[3] ^ key[1],
           static_cast<std::uint32_t>(p0)};
    }
    return x;
  }

 private:
  static constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_PHILOX_H_
