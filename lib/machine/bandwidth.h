// What caches and memory give at most: loops that read or copy a buffer and do nothing else. The
// denominators of every share of bandwidth.
#ifndef ATTNLAB_MACHINE_BANDWIDTH_H_
#define ATTNLAB_MACHINE_BANDWIDTH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/isa.h"
#include "machine/thread_team.h"

namespace attnlab {

// One a SIMD target of the build. `bytes` is a multiple of kBandwidthBlock.
struct BandwidthProbe {
  Isa isa;
  float (*read)(const std::byte* from, std::int64_t bytes);
  void (*copy)(const std::byte* from, std::byte* to, std::int64_t bytes);
};

// Buffers are read and written in blocks of that many bytes; what is left over is not touched.
inline constexpr std::int64_t kBandwidthBlock = 1024;

// The buffer in as many equal parts as the team has threads: each is read `rounds` times, by loads
// of the ISA's vectors in ascending order. Returns the bytes that were read. The buffer starts at a
// multiple of 64 and holds a block a thread at least; the ISA is one of simd_isas(). Allocates
// nothing.
double run_read_probe(Isa isa, std::span<const std::byte> buffer, std::int64_t rounds,
                      ThreadTeam& team);

// The same for copying: the first half of each part into its second half, by plain stores, which
// first read the line that they write. Returns the bytes read by loads plus those stored.
double run_copy_probe(Isa isa, std::span<std::byte> buffer, std::int64_t rounds, ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_BANDWIDTH_H_
