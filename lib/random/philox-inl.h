// Philox4x32-10 (philox.h) in as many lanes as a vector has: lane l computes the blocks of counter
//   {low 32 bits of first + l, high 32 bits of first, block number, vector number}.
// Lanes do not depend on how many there are, so every instruction set sees the same numbers.
//
// Even and odd lanes are kept apart in the low halves of 64-bit lanes, where MulEven takes its
// factors and leaves both halves of its product; the upper halves hold leftovers that it ignores.
// Of the first two rounds only what differs from block to block is computed for each block: three
// scalars. The rest is done once for all blocks of a lane.
#if defined(ATTNLAB_RANDOM_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_RANDOM_PHILOX_INL_H_
#undef ATTNLAB_RANDOM_PHILOX_INL_H_
#else
#define ATTNLAB_RANDOM_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "random/philox.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class PhiloxLanes {
 public:
  using Words = hn::ScalableTag<std::uint32_t>;
  using V = hn::Vec<Words>;

  HWY_INLINE PhiloxLanes(const Philox::Keys& keys, std::uint64_t first, std::uint32_t vector)
      : keys_(keys), first_high_(static_cast<std::uint32_t>(first >> 32)) {
    const Words words;
    const V even = hn::Add(hn::Iota(words, 0), hn::Set(words, static_cast<std::uint32_t>(first)));
    const V odd = HighHalves(even);
    const V key = hn::Set(words, vector ^ keys.round[0][1]);
    third_.even = Product<0>(even);
    third_.odd = Product<0>(odd);
    first_.even = Product<1>(hn::Xor(HighHalves(third_.even), key));
    first_.odd = Product<1>(hn::Xor(HighHalves(third_.odd), key));
  }

  // The four words of the numbered block of every lane.
  HWY_INLINE void Block(std::uint32_t number, V& w0, V& w1, V& w2, V& w3) const {
    const Words words;
    const auto& key = keys_.round;
    const std::uint64_t p1 = std::uint64_t{Philox::kMultiplier1} * number;
    const std::uint32_t x0 = High(p1) ^ first_high_ ^ key[0][0];
    const std::uint64_t p0 = std::uint64_t{Philox::kMultiplier0} * x0;

    Half even, odd;  // after round 2
    const V s0 = hn::Set(words, Low(p1) ^ key[1][0]), s2 = hn::Set(words, High(p0) ^ key[1][1]);
    even.x0 = hn::Xor(HighHalves(first_.even), s0);
    odd.x0 = hn::Xor(HighHalves(first_.odd), s0);
    even.x1 = first_.even;
    odd.x1 = first_.odd;
    even.x2 = hn::Xor(third_.even, s2);
    odd.x2 = hn::Xor(third_.odd, s2);
    even.x3 = odd.x3 = hn::Set(words, Low(p0));
    for (int round = 2; round < Philox::kRounds - 1; ++round) {
      const V k0 = hn::Set(words, key[round][0]), k1 = hn::Set(words, key[round][1]);
      even.Round(k0, k1);
      odd.Round(k0, k1);
    }
    // The last round puts even and odd lanes together again.
    const V e0 = Product<0>(even.x0), o0 = Product<0>(odd.x0);
    const V e1 = Product<1>(even.x2), o1 = Product<1>(odd.x2);
    constexpr int kLast = Philox::kRounds - 1;
    w0 = hn::Xor(hn::OddEven(o1, HighHalves(e1)),
                 XorFirst(JoinLow(even.x1, odd.x1), hn::Set(words, key[kLast][0])));
    w1 = JoinLow(e1, o1);
    w2 = hn::Xor(hn::OddEven(o0, HighHalves(e0)),
                 XorFirst(JoinLow(even.x3, odd.x3), hn::Set(words, key[kLast][1])));
    w3 = JoinLow(e0, o0);
  }

 private:
  using Doubled = hn::RepartitionToWide<Words>;

  static std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static std::uint32_t High(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  template <int kWhich>
  static HWY_INLINE V Product(V x) {
    const V m = hn::Set(Words(), kWhich == 0 ? Philox::kMultiplier0 : Philox::kMultiplier1);
    return hn::BitCast(Words(), hn::MulEven(x, m));
  }
  static HWY_INLINE V HighHalves(V x) { return hn::Shuffle2301(x); }
  static HWY_INLINE V JoinLow(V even, V odd) { return hn::OddEven(hn::Shuffle2301(odd), even); }

  // The exclusive or of what is there before the products are. As integers the compiler would
  // reorder the three operands and wait twice for the late one: 6 % of the time.
  static HWY_INLINE V XorFirst(V a, V b) {
    const hn::RebindToFloat<Words> floats;
    return hn::BitCast(Words(), hn::Xor(hn::BitCast(floats, a), hn::BitCast(floats, b)));
  }

  struct Half {
    V x0, x1, x2, x3;
    HWY_INLINE void Round(V k0, V k1) {
      const V p0 = Product<0>(x0), p1 = Product<1>(x2);
      x0 = hn::Xor(HighHalves(p1), XorFirst(x1, k0));
      x1 = p1;
      x2 = hn::Xor(HighHalves(p0), XorFirst(x3, k1));
      x3 = p0;
    }
  };
  struct Lanes {
    V even, odd;
  };

  const Philox::Keys& keys_;
  std::uint32_t first_high_;
  Lanes first_;  // multiplier 1 times x2 after round 1
  Lanes third_;  // multiplier 0 times x0 before round 1
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
