#include "measure/peaks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "base/check.h"
#include "machine/amx.h"
#include "machine/bandwidth.h"
#include "machine/peak.h"
#include "machine/thread_team.h"

namespace attnlab {
namespace {

constexpr std::int64_t kMultiplyAddRounds = 200'000;  // about half a millisecond
constexpr std::int64_t kTileRounds = 20'000;          // the same with AMX
constexpr double kTouchedBytes = 16e6;                // that a call reads at least
constexpr std::int64_t kLeastMemory = std::int64_t{1} << 28;
constexpr std::int64_t kCachesOfMemory = 4;  // memory is this many largest caches
constexpr auto kUntilAsleep = std::chrono::milliseconds(2);

std::int64_t data_cache(const Machine& machine, int level, int* shared_by) {
  for (const Cache& cache : machine.caches) {
    if (cache.level != level || cache.type == "Instruction") continue;
    if (shared_by != nullptr) *shared_by = cache.shared_by;
    return cache.bytes;
  }
  return 0;
}

std::int64_t largest_cache(const Machine& machine) {
  std::int64_t out = 0;
  for (const Cache& cache : machine.caches) out = std::max(out, cache.bytes);
  return out;
}

// Seconds that empty runs of the team take, its workers asleep or still looking for work.
std::vector<double> start_times(ThreadTeam& team, bool asleep, std::int64_t repeats, Clock& clock,
                                Watch& watch) {
  std::vector<double> out;
  const auto start = [&] { team.run(team.threads(), [](std::int64_t, int) {}); };
  start();
  for (std::int64_t i = 0; i < repeats && !watch.stopped(); ++i) {
    if (asleep) {
      std::this_thread::sleep_for(kUntilAsleep);
    } else {
      start();
    }
    const double begin = clock.now();
    start();
    out.push_back(clock.now() - begin);
  }
  return out;
}

class PeakMeasurement {
 public:
  PeakMeasurement(const PeakSettings& settings, const Machine& machine, std::span<std::byte> buffer)
      : settings_(settings),
        machine_(machine),
        buffer_(buffer),
        tiles_(settings.tiles && may_use_amx()) {  // asked for before the threads start
    for (const int threads : settings.threads) {
      teams_.push_back(std::make_unique<ThreadTeam>(threads));
    }
    std::memset(buffer.data(), 0, buffer.size());  // its pages are there, and no number is denormal
    for (const Isa isa : settings.isas) {
      for (const auto& team : teams_) add_multiply_adds(isa, *team);
    }
    for (const auto& team : teams_) add_tiles(*team);
    for (const PeakKind kind : {PeakKind::kRead, PeakKind::kCopy}) {
      for (const MemoryLevel level : settings.levels) {
        for (const auto& team : teams_) add_memory(kind, level, *team);
      }
    }
  }

  std::vector<Peak> run(Clock& clock, Watch& watch) {
    const std::vector<Series> series = take_samples(subjects_, settings_.sampler, clock, watch);
    for (std::size_t i = 0; i < series.size(); ++i) peaks_[i].samples = series[i].samples;
    for (const PeakKind kind : {PeakKind::kWake, PeakKind::kHandOver}) {
      for (const auto& team : teams_) {
        if (!settings_.wakes || team->threads() < 2) continue;
        Peak peak{.kind = kind, .threads = team->threads()};
        peak.samples =
            start_times(*team, kind == PeakKind::kWake, settings_.sampler.repeats, clock, watch);
        peaks_.push_back(std::move(peak));
      }
    }
    return std::move(peaks_);
  }

 private:
  void add_multiply_adds(Isa isa, ThreadTeam& team) {
    Peak peak{.kind = PeakKind::kMultiplyAdd, .isa = isa, .threads = team.threads()};
    peak.work = run_peak_probe(isa, kMultiplyAddRounds, team);
    peaks_.push_back(std::move(peak));
    subjects_.push_back({[isa, &team] { run_peak_probe(isa, kMultiplyAddRounds, team); }});
  }

  void add_tiles(ThreadTeam& team) {
    if (!tiles_) return;
    Peak peak{.kind = PeakKind::kTiles, .isa = Isa::kAmx, .threads = team.threads()};
    peak.work = run_amx_probe(kTileRounds, team);
    peaks_.push_back(std::move(peak));
    subjects_.push_back({[&team] { run_amx_probe(kTileRounds, team); }});
  }

  void add_memory(PeakKind kind, MemoryLevel level, ThreadTeam& team) {
    const auto bytes = level_bytes(machine_, level, team.threads());
    if (!bytes) return;
    ATTNLAB_CHECK(*bytes <= std::ssize(buffer_));
    const Isa isa = settings_.isas.back();
    const std::span<std::byte> part = buffer_.first(static_cast<std::size_t>(*bytes));
    const auto rounds =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(kTouchedBytes) / *bytes);
    const auto run = [kind, isa, part, rounds, &team] {
      return kind == PeakKind::kRead ? run_read_probe(isa, part, rounds, team)
                                     : run_copy_probe(isa, part, rounds, team);
    };
    Peak peak{.kind = kind, .level = level, .isa = isa, .threads = team.threads()};
    peak.buffer_bytes = *bytes;
    peak.work = run();
    peaks_.push_back(std::move(peak));
    subjects_.push_back({[run] { run(); }});
  }

  const PeakSettings& settings_;
  const Machine& machine_;
  std::span<std::byte> buffer_;
  const bool tiles_;
  std::vector<std::unique_ptr<ThreadTeam>> teams_;
  std::vector<Peak> peaks_;
  std::vector<Subject> subjects_;
};

}  // namespace

std::string_view peak_name(PeakKind kind) {
  constexpr std::string_view kNames[] = {"fma", "tiles", "read", "copy", "wake", "hand_over"};
  return kNames[static_cast<int>(kind)];
}

std::string_view peak_method(PeakKind kind) {
  constexpr std::string_view kMethods[] = {
      "twelve chains of multiply-adds of float32 vectors on registers, on every thread; a "
      "multiply-add is two FLOPs",
      "four chains of multiply-adds of AMX tiles of bfloat16, summed in float32, on every thread; "
      "a "
      "multiply-add is two FLOPs",
      "loads of whole vectors in ascending order, each thread its own part of the buffer",
      "each thread copies one half of its part to the other by plain stores; bytes read and bytes "
      "written both count, the lines that a store first reads do not",
      "an empty task a thread, 2 ms after the last one: the workers sleep",
      "an empty task a thread, right after the last one: the workers still look for work"};
  return kMethods[static_cast<int>(kind)];
}

std::string_view level_name(MemoryLevel level) {
  constexpr std::string_view kNames[] = {"", "L1", "L2", "L3", "memory"};
  return kNames[static_cast<int>(level)];
}

std::optional<std::int64_t> level_bytes(const Machine& machine, MemoryLevel level, int threads) {
  const std::int64_t unit = 2 * kBandwidthBlock * threads;
  if (level == MemoryLevel::kMemory) {
    const std::int64_t bytes = std::max(kLeastMemory, kCachesOfMemory * largest_cache(machine));
    return bytes / unit * unit;
  }
  int shared_by = 1;
  const std::int64_t cache = data_cache(machine, static_cast<int>(level), &shared_by);
  if (cache == 0) return std::nullopt;
  const std::int64_t caches = (threads + shared_by - 1) / shared_by;  // that the threads fill
  // A level must not be so small that the one before it holds it.
  const std::int64_t before = data_cache(machine, static_cast<int>(level) - 1, nullptr) * threads;
  const std::int64_t bytes = cache * caches / 2 / unit * unit;
  return bytes > before ? std::optional(bytes) : std::nullopt;
}

std::int64_t peaks_bytes(const PeakSettings& settings, const Machine& machine) {
  std::int64_t out = 0;
  for (const int threads : settings.threads) {
    for (const MemoryLevel level : settings.levels) {
      out = std::max(out, level_bytes(machine, level, threads).value_or(0));
    }
  }
  return out;
}

std::vector<Peak> measure_peaks(const PeakSettings& settings, const Machine& machine,
                                std::span<std::byte> buffer, Clock& clock, Watch& watch) {
  return PeakMeasurement(settings, machine, buffer).run(clock, watch);
}

}  // namespace attnlab
