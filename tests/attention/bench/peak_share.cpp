// How near the fused kernel comes to what the arithmetic units can do: its FLOP/s over those of a
// register-only probe that runs right before and after each sample. Prints goal | figure | floor |
// stretch; exits with 1 when a figure is below its floor. Run by scripts/bench.d/attention.
//   bench_peak_share [KERNEL [ISA]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "machine/peak.h"
#include "random/fill.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 12, kD = 64;
constexpr int kSamples = 10, kAttempts = 5;
constexpr double kSampleSeconds = 0.004;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double probe(Isa isa, ThreadTeam& team) {
  constexpr std::int64_t kRounds = 400'000;  // about a millisecond
  const double begin = now();
  return run_peak_probe(isa, kRounds, team) / (now() - begin);
}

struct Data {
  std::vector<float> q, k, v, o;

  explicit Data(std::int64_t n) : q(static_cast<std::size_t>(kHeads * n * kD)) {
    k = v = o = q;
    fill_random(q, {.seed = 1, .stream = 0});
    fill_random(k, {.seed = 1, .stream = 1});
    fill_random(v, {.seed = 1, .stream = 2});
  }
};

// The median over the samples of one attempt, the best over attempts: what others on the machine
// take away is never the kernel's.
double share_of_peak(const Kernel& kernel, std::int64_t n, Causal causal, int threads) {
  ThreadTeam team(threads);
  Problem problem = self_attention(1, kHeads, n, kD);
  problem.causal = causal;
  Data data(n);
  const Index4 shape{1, kHeads, n, kD};
  const Operands operands{.q = ConstView(data.q.data(), shape),
                          .k = ConstView(data.k.data(), shape),
                          .v = ConstView(data.v.data(), shape),
                          .o = View(data.o.data(), shape)};
  const PreparedKernel prepared(kernel, problem, threads);
  prepared.run(operands, team);
  const double flops = 2.0 * static_cast<double>(kernel.macs(problem));
  double best = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> shares;
    for (int i = 0; i < kSamples; ++i) {
      const double before = probe(peak_isa(kernel.isa), team);
      const double begin = now();
      int calls = 0;
      do {
        prepared.run(operands, team);
        ++calls;
      } while (now() - begin < kSampleSeconds);
      const double rate = flops * calls / (now() - begin);
      shares.push_back(2 * rate / (before + probe(peak_isa(kernel.isa), team)));
    }
    std::nth_element(shares.begin(), shares.begin() + kSamples / 2, shares.end());
    best = std::max(best, shares[kSamples / 2]);
  }
  return best;
}

class Goals {
 public:
  void report(const std::string& what, double figure, double floor, double stretch) {
    std::printf("%s | %.2f | %.2f | %.2f\n", what.c_str(), figure, floor, stretch);
    std::fflush(stdout);
    held_ = held_ && figure >= floor;
  }
  bool held() const { return held_; }

 private:
  bool held_ = true;
};

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "flash";
  const auto isa = argc > 2 ? isa_from_name(argv[2]) : std::nullopt;
  const Kernel* kernel = isa ? find_kernel(name, *isa) : find_kernel(name);
  if (kernel == nullptr || (argc > 2 && !isa)) {
    std::fprintf(stderr, "bench_peak_share: no such kernel on this machine\n");
    return 2;
  }
  std::printf("%s/%s, %d heads of %d: share of the FMA peak of its instruction set\n", name.c_str(),
              std::string(isa_name(kernel->isa)).c_str(), static_cast<int>(kHeads),
              static_cast<int>(kD));
  std::printf("goal | figure | floor | stretch\n");
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
      goals.report(
          "full, " + std::to_string(threads) + " threads, n = " + std::to_string(kSizes[i]), figure,
          floor, stretch);
    }
  }
  constexpr double kFloors[] = {0.75, 0.82, 0.88, 0.92}, kStretches[] = {0.85, 0.90, 0.94, 0.97};
  for (int i = 0; i < 4; ++i) {
    const double causal = share_of_peak(*kernel, kSizes[i], Causal::kTopLeft, 1);
    goals.report("causal relative to full, n = " + std::to_string(kSizes[i]),
                 causal / full_on_one[i], kFloors[i], kStretches[i]);
  }
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
