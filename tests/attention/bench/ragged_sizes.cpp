// Head sizes and lengths that are no multiple of anything: the fused kernel's time at head size d =
// 1 ... 256 and a ragged n over its time at the next multiples of 16 of both, timed side by side.
// Prints goal | figure | floor | stretch, the figure of the worst d; exits with 1 when it passes
// the floor. Run by scripts/bench.d/attention.
//   bench_ragged_sizes [KERNEL [ISA]]
#include "bench_support.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 4, kLargest = 256;
constexpr std::int64_t kLengths[] = {77, 509};
constexpr int kSamples = 9, kAttempts = 3;
constexpr double kSampleSeconds = 0.001;

std::int64_t next_16(std::int64_t size) { return (size + 15) / 16 * 16; }

// What others on the machine take away is never the kernel's: the best of some attempts, which end
// when one is good.
double slowdown(Run& even, Run& ragged, double good) {
  double best = time_ratio(ragged, even, kSamples, kSampleSeconds);
  for (int i = 1; i < kAttempts && best > good; ++i) {
    best = std::min(best, time_ratio(ragged, even, kSamples, kSampleSeconds));
  }
  return best;
}

int run(int argc, char** argv) {
  const Kernel* const kernel = kernel_argument(argc, argv);
  if (kernel == nullptr) return 2;
  constexpr double kFloor = 1.25, kStretch = 1.1;
  Goals::header();
  Goals goals;
  ThreadTeam team(1);
  for (const std::int64_t n : kLengths) {
    double worst = 0;
    std::int64_t worst_d = 0;
    for (std::int64_t next = 16; next <= kLargest; next += 16) {
      Run even(*kernel, kHeads, next_16(n), next, Causal::kNone, team);
      for (std::int64_t d = next - 15; d <= next; ++d) {
        Run ragged(*kernel, kHeads, n, d, Causal::kNone, team);
        const double figure = slowdown(even, ragged, kStretch);
        if (figure > worst) {
          worst = figure;
          worst_d = d;
        }
      }
    }
    goals.at_most("time at head size 1 to 256, n = " + std::to_string(n) +
                      ", over that of the next multiples of 16; worst is " +
                      std::to_string(worst_d),
                  worst, kFloor, kStretch);
  }
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
