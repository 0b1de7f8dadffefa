// The measured limits of the machine beside independent checks in the same run: OpenBLAS on a large
// square against the peak of multiply-adds, the C library's search for a byte over memory against
// the probe of reading. Prints goal | figure | floor | stretch; exits with 1 when a figure is out
// of its bounds. Run by scripts/bench.d/limits.
#include <cmath>
#include <cstring>
#include <vector>

#include "machine/bandwidth.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/peak.h"
#include "support/goals.h"
#include "tensor/blas.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr std::int64_t kSide = 1536, kBytes = std::int64_t{1} << 28, kProbeRounds = 4'000'000;
constexpr int kSamples = 11;

double sgemm_share() {
  use_one_blas_thread();
  const std::vector<float> a(kSide * kSide, 0.5f), b(kSide * kSide, 0.25f);
  std::vector<float> c(kSide * kSide);
  ThreadTeam one(1);
  std::vector<double> shares;
  for (int i = 0; i <= kSamples; ++i) {
    double begin = now();
    const double work = run_peak_probe(simd_isas().back(), kProbeRounds, one);
    const double peak = work / (now() - begin);
    begin = now();
    matmul(1.0f, {a.data(), kSide, kSide, kSide}, Transpose::kNo, {b.data(), kSide, kSide, kSide},
           0.0f, {c.data(), kSide, kSide, kSide});
    const double rate = 2.0 * std::pow(static_cast<double>(kSide), 3) / (now() - begin);
    if (i > 0) shares.push_back(rate / peak);  // the first one warms up
  }
  return median_of(shares);
}

double read_ratio() {
  AlignedBuffer buffer(kBytes);
  std::memset(buffer.data(), 0, kBytes);
  ThreadTeam one(1);
  std::vector<double> ratios;
  bool is_found = false;
  for (int i = 0; i <= kSamples; ++i) {
    double begin = now();
    run_read_probe(simd_isas().back(), buffer.span(), 1, one);
    const double probe = now() - begin;
    begin = now();
    is_found = is_found || std::memchr(buffer.data(), 1, kBytes) != nullptr;  // all are 0
    if (i > 0) ratios.push_back(probe / (now() - begin));
  }
  return is_found ? 0 : median_of(ratios);
}

int run() {
  Goals::header();
  Goals goals;
  const std::string core = blas_info().core;
  const double share = sgemm_share();
  goals.at_least("sgemm of a square of 1536 (OpenBLAS " + core + ") over the FMA peak, 1 thread",
                 share, 0.60, 0.80);
  goals.at_most("the same, at most", share, 1.02, 1.0);
  const double ratio = read_ratio();
  goals.at_least("memchr over 256 MiB over the probe of reading, 1 thread", ratio, 0.90, 0.95);
  goals.at_most("the same, at most", ratio, 1.10, 1.05);
  return goals.held() ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int, char** argv) {
  attnlab::correct_blas_core(argv);
  return attnlab::run();
}
