// How near decode comes to the speed of memory: bytes of keys and values (and scales) a second over
// those of a loop that only reads them, in the same order, on the same team, timed in turns; what
// grouped heads gain; how long a short cache takes. Prints goal | figure | floor | stretch; exits
// with 1 when a figure is below its floor. Run by scripts/bench.d/decode.
//   bench_decode_share [ISA]
#include <cmath>
#include <string>
#include <vector>

#include "decode_run.h"
#include "read_loop.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 12, kD = 64, kLong = 65536;
constexpr int kSamples = 7, kAttempts = 5;
constexpr double kSampleSeconds = 0.004;

struct Shares {
  double share, bytes_per_second, read_bytes_per_second;
};

// The median over the samples of one attempt, the best over attempts: what others on the machine
// take away is never the kernel's. Of the reading loops, with and without asking ahead, the fastest
// of each sample counts.
Shares share_of_reading(DecodeRun& run, Isa isa, ThreadTeam& team) {
  const Problem& p = run.problem();
  const auto bytes = static_cast<double>(cache_bytes(p).value());
  Shares best{};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> shares, own, read;
    for (int i = 0; i < kSamples; ++i) {
      double fastest = INFINITY;
      const auto read_in_turn = [&] {
        for (const Asking& asking : kAskings) {
          const auto loop = [&] { read_cache(p, run.operands(), isa, asking, team); };
          fastest = std::min(fastest, DecodeRun::seconds(loop, kSampleSeconds));
        }
      };
      if (i % 2 == 0) read_in_turn();
      const double seconds = run.seconds(kSampleSeconds);
      if (i % 2 == 1) read_in_turn();
      shares.push_back(fastest / seconds);
      own.push_back(bytes / seconds);
      read.push_back(bytes / fastest);
    }
    const double share = median_of(shares);
    if (share > best.share) best = {share, median_of(own), median_of(read)};
  }
  return best;
}

// The median of how many times as many tokens a second `grouped` gives as `single`, in turns.
double gain(DecodeRun& grouped, DecodeRun& single) {
  double best = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> ratios;
    for (int i = 0; i < kSamples; ++i) {
      const double first = grouped.seconds(kSampleSeconds);
      ratios.push_back(single.seconds(kSampleSeconds) / first);
    }
    best = std::max(best, median_of(ratios));
  }
  return best;
}

double best_microseconds(DecodeRun& run) {
  double best = INFINITY;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> seconds;
    for (int i = 0; i < kSamples; ++i) seconds.push_back(run.seconds(kSampleSeconds));
    best = std::min(best, median_of(seconds));
  }
  return best * 1e6;
}

int run(int argc, char** argv) {
  const Isa isa =
      argc > 1 ? isa_from_name(argv[1]).value_or(simd_isas().back()) : simd_isas().back();
  const Kernel* const kernel = find_kernel("decode", isa);
  if (kernel == nullptr) return 2;
  std::printf(
      "decode/%s, %d heads of %d: share of the speed at which a loop reads the same bytes\n",
      std::string(isa_name(isa)).c_str(), static_cast<int>(kHeads), static_cast<int>(kD));
  Goals::header();
  Goals goals;
  struct Goal {
    Dtype dtype;
    double floor, stretch;
  };
  std::string speeds;
  for (const int threads : {1, 2}) {
    ThreadTeam team(threads);
    for (const auto& [dtype, floor, stretch] : {Goal{Dtype::kF32, 0.9, 0.95},
                                                {Dtype::kBf16, 0.8, 0.9},
                                                {Dtype::kF16, 0.8, 0.9},
                                                {Dtype::kInt8, 0.7, 0.8}}) {
      DecodeRun run(*kernel, decode_problem(kHeads, kHeads, kLong, kD, dtype), team);
      const Shares found = share_of_reading(run, isa, team);
      const std::string what = std::string(dtype_name(dtype)) + ", n = " + std::to_string(kLong) +
                               ", " + std::to_string(threads) + " threads";
      goals.at_least(what, found.share, floor, stretch);
      char line[160];
      std::snprintf(
          line, sizeof line, "%s: %.1f GB/s, reading alone %.1f GB/s, %.2f ms a token\n",
          what.c_str(), found.bytes_per_second / 1e9, found.read_bytes_per_second / 1e9,
          1e3 * static_cast<double>(cache_bytes(run.problem()).value()) / found.bytes_per_second);
      speeds += line;
      if (dtype != Dtype::kF32) continue;
      DecodeRun grouped(*kernel, decode_problem(kHeads, kHeads / 4, kLong, kD, dtype), team);
      goals.at_least("tokens a second with 3 heads of keys over those with 12, " +
                         std::to_string(threads) + " threads",
                     gain(grouped, run), 3, 3.5);
    }
    for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16, Dtype::kF16, Dtype::kInt8}) {
      DecodeRun run(*kernel, decode_problem(kHeads, kHeads, 16, kD, dtype), team);
      goals.at_most(std::string(dtype_name(dtype)) + ", n = 16, " + std::to_string(threads) +
                        " threads, microseconds",
                    best_microseconds(run), 10, 5);
    }
  }
  std::printf("%s", speeds.c_str());
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
