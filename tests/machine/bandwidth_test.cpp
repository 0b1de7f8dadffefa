#include "machine/bandwidth.h"

#include <cstring>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

constexpr std::int64_t kBytes = 8 * kBandwidthBlock + 100;  // the last bytes are no whole block

// Aligned as the probes want it.
struct Buffer {
  alignas(64) std::byte bytes[kBytes];
  Buffer() {
    for (std::int64_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 1024);
  }
};

}  // namespace

TEST_CASE("the bandwidth probes count the bytes of every thread and round", "[machine]") {
  Buffer buffer;
  for (const Isa isa : simd_isas()) {
    for (const int threads : {1, 2, 3}) {
      DYNAMIC_SECTION(isa_name(isa) << " " << threads) {
        ThreadTeam team(threads);
        const std::int64_t blocks = 8 / threads, pairs = 4 / threads;
        CHECK(run_read_probe(isa, buffer.bytes, 5, team) ==
              static_cast<double>(5 * threads * blocks * kBandwidthBlock));
        CHECK(run_copy_probe(isa, buffer.bytes, 3, team) ==
              static_cast<double>(3 * threads * pairs * 2 * kBandwidthBlock));
      }
    }
  }
}

TEST_CASE("the copy probe copies the first half of each part and nothing else", "[machine]") {
  for (const Isa isa : simd_isas()) {
    for (const int threads : {1, 2}) {
      DYNAMIC_SECTION(isa_name(isa) << " " << threads) {
        const Buffer before;
        Buffer after;
        ThreadTeam team(threads);
        run_copy_probe(isa, after.bytes, 1, team);
        const std::int64_t half = 4 / threads * kBandwidthBlock;
        for (int t = 0; t < threads; ++t) {
          const std::byte* const part = after.bytes + 2 * t * half;
          CHECK(std::memcmp(part, before.bytes + 2 * t * half, static_cast<std::size_t>(half)) ==
                0);
          CHECK(std::memcmp(part + half, part, static_cast<std::size_t>(half)) == 0);
        }
        CHECK(std::memcmp(after.bytes + 8 * kBandwidthBlock, before.bytes + 8 * kBandwidthBlock,
                          100) == 0);
      }
    }
  }
}

}  // namespace attnlab
