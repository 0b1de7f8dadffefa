// Share of the FMA peak that the dense kernels reach, each call beside its own probe; the goals of
// docs/performance.md. Run by scripts/bench.d/attention.
//   bench_peak_share [--quick] [kernel/isa]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "machine/peak.h"
#include "random/fill.h"

namespace attnlab {
namespace {

using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<long>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

double probe(Isa isa, ThreadTeam& team) {  // FLOP/s over about a millisecond
  const double begin = now();
  const double flops = run_peak_probe(isa, 400'000, team);
  return flops / (now() - begin);
}

struct Shape {
  std::int64_t heads, n, d;
  Causal causal;
};

double share(const Kernel& kernel, const Shape& s, int threads, int samples) {
  ThreadTeam team(threads);
  Problem p = self_attention(1, s.heads, s.n, s.d);
  p.causal = s.causal;
  std::vector<float> q(static_cast<std::size_t>(s.heads * s.n * s.d)), k(q.size()), v(q.size()),
      o(q.size());
  fill_random(q, {.seed = 1, .stream = 0});
  fill_random(k, {.seed = 1, .stream = 1});
  fill_random(v, {.seed = 1, .stream = 2});
  const Index4 shape{1, s.heads, s.n, s.d};
  const Operands operands{.q = ConstView(q.data(), shape),
                          .k = ConstView(k.data(), shape),
                          .v = ConstView(v.data(), shape),
                          .o = View(o.data(), shape)};
  const PreparedKernel prepared(kernel, p, threads);
  prepared.run(operands, team);
  const double flops = 2.0 * static_cast<double>(kernel.macs(p));
  std::vector<double> shares;
  for (int i = 0; i < samples; ++i) {
    const double before = probe(peak_isa(kernel.isa), team);
    const double begin = now();
    int calls = 0;
    do {
      prepared.run(operands, team);
      ++calls;
    } while (now() - begin < 0.002);
    const double rate = flops * calls / (now() - begin);
    const double after = probe(peak_isa(kernel.isa), team);
    shares.push_back(rate / ((before + after) / 2));
  }
  return median(shares);
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "flash";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const Kernel* kernel = find_kernel(name);
  const std::string isa = argc > 3 ? argv[3] : "";
  if (!isa.empty()) kernel = find_kernel(name, *isa_from_name(isa));
  for (const std::int64_t n : {64, 128, 256, 512, 1024, 2048, 4096}) {
    const int samples = n <= 1024 ? 21 : 5;
    const double full = share(*kernel, {12, n, 64, Causal::kNone}, threads, samples);
    const double causal = share(*kernel, {12, n, 64, Causal::kTopLeft}, threads, samples);
    std::printf("%s %dT n %5ld full %.3f causal %.3f ratio %.3f\n", name.c_str(), threads, n, full,
                causal, causal / full);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
