// The fused kernel against three steps through BLAS at every length, side by side, and the memory
// that it takes beside inputs and output. OpenBLAS runs at the best core type for the processor.
// Prints goal | figure | floor | stretch; exits with 1 when a floor is missed. Run by
// scripts/bench.d/attention.
//   bench_against_naive [KERNEL [ISA]]
#include "bench_support.h"
#include "machine/blas.h"
#include "machine/blas_core.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 12, kD = 64;
constexpr std::int64_t kLengths[] = {16, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr int kSamples = 11;
constexpr double kSampleSeconds = 0.004;

int run(int argc, char** argv) {
  const Kernel* const kernel = kernel_argument(argc, argv);
  if (kernel == nullptr) return 2;
  const Kernel* const naive = find_kernel("naive");
  const std::string core = blas_info().core;
  Goals::header();
  Goals goals;
  for (const int threads : {1, 2}) {
    ThreadTeam team(threads);
    for (const std::int64_t n : kLengths) {
      Run steps(*naive, kHeads, n, kD, Causal::kNone, team);
      Run fused(*kernel, kHeads, n, kD, Causal::kNone, team);
      const int samples = n > 2048 ? 3 : kSamples;
      goals.at_least("time of naive (OpenBLAS " + core + ") over that of " +
                         std::string(kernel->name) + ", " + std::to_string(threads) +
                         " threads, n = " + std::to_string(n),
                     time_ratio(steps, fused, samples, kSampleSeconds), 1.2, 1.6);
    }
  }
  for (const int threads : {1, 2}) {
    const std::int64_t bytes = kernel->workspace(self_attention(1, kHeads, 8192, kD), threads);
    goals.at_most("extra memory, MB, n = 8192, 12 heads, " + std::to_string(threads) + " threads",
                  static_cast<double>(bytes) / 1e6, 5, 1);
  }
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) {
  attnlab::correct_blas_core(argv);
  return attnlab::run(argc, argv);
}
