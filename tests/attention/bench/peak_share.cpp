// How near the fused kernel comes to what the arithmetic units can do: its FLOP/s over those of a
// register-only probe that runs right before and after each sample, and the rate of causal problems
// over that of full ones, each timed beside the other. Prints goal | figure | floor | stretch;
// exits with 1 when a figure is below its floor. Run by scripts/bench.d/attention.
//   bench_peak_share [KERNEL [ISA]]
#include <functional>

#include "bench_support.h"
#include "machine/peak.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 12, kD = 64, kSizes[] = {128, 512, 1024, 2048};
constexpr int kSamples = 10, kAttempts = 5;
constexpr double kSampleSeconds = 0.004;
// Two threads that come to less than this many times one thread's peak had one core between them.
constexpr double kTwoCores = 1.6;

double probe(Isa isa, ThreadTeam& team) {
  constexpr std::int64_t kRounds = 400'000;  // about a millisecond
  const double begin = now();
  return run_peak_probe(isa, kRounds, team) / (now() - begin);
}

// What others on the machine take away is never the kernel's: the median over the samples of an
// attempt, the best over attempts. The attempts at one goal are seconds apart, with those at all
// other goals between them.
struct Share {
  std::string what;
  double floor;
  double stretch;
  std::function<std::optional<double>()> sample;  // nullopt: to be thrown away
  double best = 0;
  int thrown_away = 0;

  void attempt() {
    std::vector<double> samples;
    for (int i = 0; i < 3 * kSamples && std::ssize(samples) < kSamples; ++i) {
      const std::optional<double> share = sample();
      if (share) samples.push_back(*share);
      thrown_away += !share;
    }
    if (std::ssize(samples) == kSamples) best = std::max(best, median_of(samples));
  }
};

// Of two probes the faster one counts: one that was disturbed must not flatter the kernel.
std::optional<double> share_of_peak(Run& run, Isa isa, ThreadTeam& team, ThreadTeam& one) {
  const double alone = team.threads() > 1 ? probe(isa, one) : 0;
  const double before = probe(isa, team);
  const double rate = run.flops() / run.seconds(kSampleSeconds);
  const double peak = std::max(before, probe(isa, team));
  if (peak < kTwoCores * alone) return std::nullopt;
  return rate / peak;
}

int run(int argc, char** argv) {
  const Kernel* const kernel = kernel_argument(argc, argv);
  if (kernel == nullptr) return 2;
  std::printf("%s/%s, %d heads of %d: share of the FMA peak of its instruction set\n",
              std::string(kernel->name).c_str(), std::string(isa_name(kernel->isa)).c_str(),
              static_cast<int>(kHeads), static_cast<int>(kD));
  const Isa isa = peak_isa(kernel->isa);
  ThreadTeam one(1), two(2);
  std::vector<std::unique_ptr<Run>> runs;
  const auto ready = [&](std::int64_t n, Causal causal, ThreadTeam& team) -> Run& {
    return *runs.emplace_back(std::make_unique<Run>(*kernel, kHeads, n, kD, causal, team));
  };
  std::vector<Share> shares;
  for (ThreadTeam* const team : {&one, &two}) {
    for (const std::int64_t n : kSizes) {
      const bool is_short = n < 512, alone = team == &one;
      Run& full = ready(n, Causal::kNone, *team);
      shares.push_back(
          {"full, " + std::to_string(team->threads()) + " threads, n = " + std::to_string(n),
           alone ? (is_short ? 0.68 : 0.75) : (is_short ? 0.64 : 0.70),
           alone ? (is_short ? 0.80 : 0.85) : (is_short ? 0.75 : 0.80),
           [&full, isa, team, &one] { return share_of_peak(full, isa, *team, one); }});
    }
  }
  constexpr double kFloors[] = {0.75, 0.82, 0.88, 0.92}, kStretches[] = {0.85, 0.90, 0.94, 0.97};
  for (int i = 0; i < 4; ++i) {
    Run& full = ready(kSizes[i], Causal::kNone, one);
    Run& causal = ready(kSizes[i], Causal::kTopLeft, one);
    shares.push_back({"causal relative to full, n = " + std::to_string(kSizes[i]), kFloors[i],
                      kStretches[i], [&full, &causal] {
                        return causal.flops() / full.flops() *
                               time_ratio(full, causal, 2, kSampleSeconds);
                      }});
  }
  for (int i = 0; i < kAttempts; ++i) {
    for (Share& share : shares) share.attempt();
  }
  Goals::header();
  Goals goals;
  for (const Share& share : shares) {
    goals.at_least(share.what, share.best, share.floor, share.stretch);
    if (share.thrown_away > 0) {
      std::printf("  %d samples thrown away: two threads had less than %.1f times one's peak\n",
                  share.thrown_away, kTwoCores);
    }
  }
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
