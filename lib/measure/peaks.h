// The limits of this machine, measured: multiply-adds a second, bytes a second out of each level of
// memory, and how long a team of threads takes to begin. Everything else is held against them, so
// they are taken in the run that quotes them, in turns, and carry their spread.
#ifndef ATTNLAB_MEASURE_PEAKS_H_
#define ATTNLAB_MEASURE_PEAKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/watch.h"
#include "machine/isa.h"
#include "machine/machine.h"
#include "measure/sampler.h"

namespace attnlab {

enum class PeakKind {
  kMultiplyAdd,  // fused multiply-adds of float32 on registers
  kTiles,        // multiply-adds of AMX tiles of bfloat16, where there are some
  kRead,         // loads in ascending order
  kCopy,         // loads and stores; both count
  kWake,         // an empty run of the team, its workers asleep
  kHandOver,     // the same while they still look for work
};
std::string_view peak_name(PeakKind kind);  // fma, tiles, read, copy, wake, hand_over
// How it is measured, in a sentence.
std::string_view peak_method(PeakKind kind);

enum class MemoryLevel { kNone, kL1, kL2, kL3, kMemory };
std::string_view level_name(MemoryLevel level);  // "", L1, L2, L3, memory

struct Peak {
  PeakKind kind;
  MemoryLevel level = MemoryLevel::kNone;
  std::optional<Isa> isa{};
  int threads = 1;
  std::int64_t buffer_bytes = 0;  // that the threads went through together
  double work = 0;                // FLOPs or bytes of a call; 0 for the threads' latency
  std::vector<double> samples{};  // seconds a call

  bool is_rate() const { return work > 0; }
  double rate(double seconds) const { return work / seconds; }  // FLOP/s or B/s
};

struct PeakSettings {
  std::vector<Isa> isas;     // of multiply-adds; the last one reads and copies
  std::vector<int> threads;  // sizes of team
  std::vector<MemoryLevel> levels{MemoryLevel::kL1, MemoryLevel::kL2, MemoryLevel::kL3,
                                  MemoryLevel::kMemory};
  bool tiles = true;  // AMX, where this process may use it
  bool wakes = true;  // the threads' latency
  SamplerSettings sampler{.repeats = 20, .warmup = 1, .min_time = 0.004};
};

// Bytes of the buffer that stands for a level: half of each thread's cache, or of the one that they
// share; for memory several times the largest cache. No value where the machine has no such cache.
std::optional<std::int64_t> level_bytes(const Machine& machine, MemoryLevel level, int threads);

// Bytes of the buffer that measure_peaks() needs.
std::int64_t peaks_bytes(const PeakSettings& settings, const Machine& machine);

// In the order kind, level, ISA, threads. The buffer, whose start is a multiple of 64, is
// overwritten. Incomplete when the watch says stopped.
std::vector<Peak> measure_peaks(const PeakSettings& settings, const Machine& machine,
                                std::span<std::byte> buffer, Clock& clock, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_PEAKS_H_
