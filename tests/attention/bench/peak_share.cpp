// How near the fused kernel comes to what the arithmetic units can do: its FLOP/s over those of a
// register-only probe that runs right before and after each sample. Prints goal | figure | floor |
// stretch; exits with 1 when a figure is below its floor. Run by scripts/bench.d/attention.
//   bench_peak_share [KERNEL [ISA]]
#include "bench_support.h"
#include "machine/peak.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 12, kD = 64;
constexpr int kSamples = 10, kAttempts = 5;
constexpr double kSampleSeconds = 0.004;

double probe(Isa isa, ThreadTeam& team) {
  constexpr std::int64_t kRounds = 400'000;  // about a millisecond
  const double begin = now();
  return run_peak_probe(isa, kRounds, team) / (now() - begin);
}

// The median over the samples of one attempt, the best over attempts: what others on the machine
// take away is never the kernel's.
double share_of_peak(const Kernel& kernel, std::int64_t n, Causal causal, int threads) {
  ThreadTeam team(threads);
  Run run(kernel, kHeads, n, kD, causal, team);
  double best = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> shares;
    for (int i = 0; i < kSamples; ++i) {
      const double before = probe(peak_isa(kernel.isa), team);
      const double rate = run.flops() / run.seconds(kSampleSeconds);
      shares.push_back(2 * rate / (before + probe(peak_isa(kernel.isa), team)));
    }
    best = std::max(best, median_of(shares));
  }
  return best;
}

int run(int argc, char** argv) {
  const Kernel* const kernel = kernel_argument(argc, argv);
  if (kernel == nullptr) return 2;
  std::printf("%s/%s, %d heads of %d: share of the FMA peak of its instruction set\n",
              std::string(kernel->name).c_str(), std::string(isa_name(kernel->isa)).c_str(),
              static_cast<int>(kHeads), static_cast<int>(kD));
  Goals::header();
  Goals goals;
  double full_on_one[4] = {};
  constexpr std::int64_t kSizes[] = {128, 512, 1024, 2048};
  for (const int threads : {1, 2}) {
    for (int i = 0; i < 4; ++i) {
      const bool is_short = kSizes[i] < 512;
      const double figure = share_of_peak(*kernel, kSizes[i], Causal::kNone, threads);
      if (threads == 1) full_on_one[i] = figure;
      const double floor = threads == 1 ? (is_short ? 0.68 : 0.75) : (is_short ? 0.64 : 0.70);
      const double stretch = threads == 1 ? (is_short ? 0.80 : 0.85) : (is_short ? 0.75 : 0.80);
      goals.at_least(
          "full, " + std::to_string(threads) + " threads, n = " + std::to_string(kSizes[i]), figure,
          floor, stretch);
    }
  }
  constexpr double kFloors[] = {0.75, 0.82, 0.88, 0.92}, kStretches[] = {0.85, 0.90, 0.94, 0.97};
  for (int i = 0; i < 4; ++i) {
    const double causal = share_of_peak(*kernel, kSizes[i], Causal::kTopLeft, 1);
    goals.at_least("causal relative to full, n = " + std::to_string(kSizes[i]),
                   causal / full_on_one[i], kFloors[i], kStretches[i]);
  }
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
