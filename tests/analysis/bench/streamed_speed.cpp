// Speed of the streamed statistics over that of the fused attention kernel at the same shape, in
// turn, on one thread and on two. Prints goal | figure | floor | stretch; exits with 1 when a
// figure is below its floor. Run by scripts/bench.d/inspect.
//   bench_streamed_speed [N [HEADS]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/attention_statistics.h"
#include "attention/attention.h"
#include "random/fill.h"

namespace attnlab {
namespace {

constexpr std::int64_t kD = 64;
constexpr int kRounds = 7;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
double seconds_of(Body&& body) {
  const double begin = now();
  body();
  return now() - begin;
}

struct Workload {
  std::string name;
  float spread = 1;  // what queries are multiplied by
  StatisticsRequest request{};
  Causal causal = Causal::kNone;
  double floor = 0.5;
};

// The median over the rounds of flash's time over that of the statistics.
double relative_speed(const Workload& load, std::int64_t n, std::int64_t heads, int threads) {
  Problem problem = self_attention(1, heads, n, kD);
  problem.causal = load.causal;
  std::vector<float> q(static_cast<std::size_t>(heads * n * kD)), k = q, v = q, o = q;
  fill_random(q, {.seed = 1, .stream = 0});
  fill_random(k, {.seed = 1, .stream = 1});
  fill_random(v, {.seed = 1, .stream = 2});
  for (float& x : q) x *= load.spread;
  const Index4 shape{1, heads, n, kD};
  const Operands operands{.q = ConstView(q.data(), shape),
                          .k = ConstView(k.data(), shape),
                          .v = ConstView(v.data(), shape),
                          .o = View(o.data(), shape)};
  ThreadTeam team(threads);
  Watch watch;
  const PreparedKernel flash(*find_kernel("flash"), problem, threads);
  flash.run(operands, team);
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const double attention = seconds_of([&] { flash.run(operands, team); });
    const double statistics = seconds_of([&] {
      streamed_statistics(problem, Operator::kDense, operands, load.request, team, watch);
    });
    ratios.push_back(attention / statistics);
  }
  std::nth_element(ratios.begin(), ratios.begin() + kRounds / 2, ratios.end());
  return ratios[kRounds / 2];
}

int run(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 2048;
  const std::int64_t heads = argc > 2 ? std::atoll(argv[2]) : 4;
  if (n < 1 || heads < 1) {
    std::fprintf(stderr, "bench_streamed_speed: N and HEADS are whole numbers from 1\n");
    return 2;
  }
  std::printf("statistics of %d heads of %d at n = %d: speed over that of flash\n",
              static_cast<int>(heads), static_cast<int>(kD), static_cast<int>(n));
  std::printf("goal | figure | floor | stretch\n");
  const Workload loads[] = {
      {.name = "one pass"},
      {.name = "one pass, causal", .causal = Causal::kBottomRight},
      {.name = "two passes, zero weights counted", .spread = 40},
      {.name = "two passes, weights of every key", .request = {.columns = true}},
  };
  bool held = true;
  for (const int threads : {1, 2}) {
    for (const Workload& load : loads) {
      const double figure = relative_speed(load, n, heads, threads);
      std::printf("%s, %d thread%s | %.2f | %.2f | 1.00\n", load.name.c_str(), threads,
                  threads == 1 ? "" : "s", figure, load.floor);
      std::fflush(stdout);
      held = held && figure >= load.floor;
    }
  }
  return held ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main(int argc, char** argv) { return attnlab::run(argc, argv); }
