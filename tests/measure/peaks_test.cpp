// Which limits are measured and with how much work; rates are whatever this machine gives.
#include "measure/peaks.h"

#include <cmath>
#include <memory>
#include <vector>

#include "machine/bandwidth.h"
#include "support/catch.h"

namespace attnlab {
namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

Machine machine() {
  Machine out;
  out.caches = {{1, "Data", 32 * kKiB, 1},
                {1, "Instruction", 32 * kKiB, 1},
                {2, "Unified", 512 * kKiB, 1},
                {3, "Unified", 32 * kMiB, 16}};
  return out;
}

struct Space {
  explicit Space(std::int64_t bytes) : numbers(static_cast<std::size_t>(bytes + 64)) {}
  std::span<std::byte> span() {
    void* at = numbers.data();
    std::size_t room = numbers.size();
    std::align(64, 1, at, room);
    return {static_cast<std::byte*>(at), room};
  }
  std::vector<std::byte> numbers;
};

}  // namespace

TEST_CASE(
    "a buffer is half of the caches that its threads have, and memory several times the "
    "largest",
    "[measure]") {
  CHECK(level_bytes(machine(), MemoryLevel::kL1, 1) == 16 * kKiB);
  CHECK(level_bytes(machine(), MemoryLevel::kL1, 4) == 64 * kKiB);
  CHECK(level_bytes(machine(), MemoryLevel::kL2, 2) == 512 * kKiB);
  CHECK(level_bytes(machine(), MemoryLevel::kL3, 2) == 16 * kMiB);  // they share it
  CHECK(level_bytes(machine(), MemoryLevel::kMemory, 1) == 256 * kMiB);
  CHECK(level_bytes(Machine(), MemoryLevel::kL2, 1) == std::nullopt);
  Machine small_l3 = machine();
  small_l3.caches[3].bytes = 512 * kKiB;  // half of it would fit the level before it
  CHECK(level_bytes(small_l3, MemoryLevel::kL3, 1) == std::nullopt);
  Machine large = machine();
  large.caches[3].bytes = 256 * kMiB;
  CHECK(level_bytes(large, MemoryLevel::kMemory, 3) == 1024 * kMiB / (6 * kKiB) * (6 * kKiB));
}

TEST_CASE("every limit is measured once for each team, in order", "[measure]") {
  PeakSettings settings;
  settings.isas = simd_isas();
  settings.threads = {1, 2};
  settings.levels = {MemoryLevel::kL1, MemoryLevel::kL2};
  settings.sampler = {.repeats = 2, .warmup = 0, .min_time = 0};
  settings.tiles = false;
  Space space(peaks_bytes(settings, machine()));
  SteadyClock clock;
  Watch watch;
  const std::vector<Peak> peaks = measure_peaks(settings, machine(), space.span(), clock, watch);
  const std::size_t isas = settings.isas.size();
  REQUIRE(peaks.size() == 2 * isas + 2 * 2 * 2 + 2);
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const Peak& peak = peaks[i];
    INFO(i);
    REQUIRE(peak.samples.size() == 2);
    for (const double seconds : peak.samples) CHECK(seconds > 0);
    const PeakKind kind = i < 2 * isas       ? PeakKind::kMultiplyAdd
                          : i < 2 * isas + 4 ? PeakKind::kRead
                          : i < 2 * isas + 8 ? PeakKind::kCopy
                          : i < 2 * isas + 9 ? PeakKind::kWake
                                             : PeakKind::kHandOver;
    CHECK(peak.kind == kind);
    CHECK(peak.is_rate() == (i < 2 * isas + 8));
    if (i < 2 * isas) {
      CHECK(peak.isa == settings.isas[i / 2]);
      CHECK(peak.threads == 1 + static_cast<int>(i % 2));
      if (i % 2 == 1) CHECK(peak.work == 2 * peaks[i - 1].work);
    } else if (i < 2 * isas + 8) {
      CHECK(peak.level == ((i - 2 * isas) % 4 < 2 ? MemoryLevel::kL1 : MemoryLevel::kL2));
      CHECK(peak.buffer_bytes == level_bytes(machine(), peak.level, peak.threads));
      // Whole passes over the buffer, of at least some megabytes.
      CHECK(peak.work >= 15e6);
      CHECK(std::fmod(peak.work, static_cast<double>(peak.buffer_bytes)) == 0);
    }
  }
}

TEST_CASE("a level that the machine has not is left out", "[measure]") {
  PeakSettings settings;
  settings.isas = {simd_isas().back()};
  settings.threads = {1};
  settings.levels = {MemoryLevel::kL2, MemoryLevel::kL3};
  settings.sampler = {.repeats = 1, .warmup = 0, .min_time = 0};
  settings.tiles = false;
  Space space(64);
  SteadyClock clock;
  Watch watch;
  CHECK(peaks_bytes(settings, Machine()) == 0);
  CHECK(measure_peaks(settings, Machine(), space.span(), clock, watch).size() == 1);
}

}  // namespace attnlab
