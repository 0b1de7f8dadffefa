// Time of every kernel on awkward data over its time on ordinary data: denormal keys and values,
// weights that would be denormal, masks full of -inf. Prints goal | figure | floor | stretch; exits
// with 1 when a ratio passes 1.5. Run by scripts/bench.d/awkward_data.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "random/fill.h"

namespace attnlab {
namespace {

constexpr std::int64_t kHeads = 4, kN = 512, kD = 64;
constexpr int kRounds = 11, kCalls = 3;
constexpr double kLimit = 1.5;

struct Data {
  Problem problem = self_attention(1, kHeads, kN, kD);
  std::vector<float> q, k, v, o, mask;

  Data() : q(kHeads * kN * kD), k(q.size()), v(q.size()), o(q.size()) {
    fill_random(q, {.seed = 1, .stream = 0});
    fill_random(k, {.seed = 1, .stream = 1});
    fill_random(v, {.seed = 1, .stream = 2});
  }
  void add_mask(float every_third) {
    problem.mask = {MaskKind::kAdditive, false, false, true};
    mask.assign(kN * kN, 0.5f);
    for (std::size_t i = 0; i < mask.size(); i += 3) mask[i] = every_third;
  }
  Operands operands() {
    const Index4 shape{1, kHeads, kN, kD}, queries{1, kHeads, problem.nq, kD};
    Operands out{.q = ConstView(q.data(), queries),
                 .k = ConstView(k.data(), shape),
                 .v = ConstView(v.data(), shape),
                 .o = View(o.data(), queries)};
    if (!mask.empty()) out.mask = {MaskKind::kAdditive, mask.data(), {0, 0, kN, 1}};
    return out;
  }
};

// Of this thread's processor time: other programs then disturb little.
double seconds(const PreparedKernel& kernel, const Operands& operands, ThreadTeam& team) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  for (int call = 0; call < kCalls; ++call) kernel.run(operands, team);
  return now() - begin;
}

// Median over rounds of the time on `awkward` over the time on `ordinary` right before it.
double ratio(const Kernel& kernel, Data& ordinary, Data& awkward) {
  ThreadTeam team(1);
  const PreparedKernel a(kernel, ordinary.problem, 1), b(kernel, awkward.problem, 1);
  const Operands x = ordinary.operands(), y = awkward.operands();
  std::vector<double> ratios;
  for (int round = 0; round <= kRounds; ++round) {
    const double before = seconds(a, x, team), after = seconds(b, y, team);
    if (round > 0) ratios.push_back(after / before);  // the first one warms up
  }
  std::nth_element(ratios.begin(), ratios.begin() + kRounds / 2, ratios.end());
  return ratios[kRounds / 2];
}

int run() {
  Data ordinary, denormal, small_weights, masked, hidden;
  for (std::size_t i = 0; i < denormal.k.size(); i += 2) {
    denormal.k[i] = 1e-40f;
    denormal.v[i] = -1e-41f;
  }
  // Scores of one key are 0, those of the others near -95: weights near 2^-137.
  for (float& x : small_weights.q) x = 1;
  for (std::size_t i = 0; i < small_weights.k.size(); ++i) {
    small_weights.k[i] = i / kD % kN == 0 ? 0 : -95.0f / 8;
  }
  masked.add_mask(0.25f);
  hidden.add_mask(-std::numeric_limits<float>::infinity());
  std::printf("goal | figure | floor | stretch\n");
  bool held = true;
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->name == "reference" || kernel->name == "textbook") continue;
    const auto report = [&](const char* what, Data& plain, Data& awkward) {
      plain.problem.nq = awkward.problem.nq = kernel->name == "decode" ? 16 : kN;
      if (!kernel->supports(awkward.problem, nullptr)) return;
      const double figure = ratio(*kernel, plain, awkward);
      std::printf("%s/%s, time on %s over ordinary | %.2f | %.1f | 1.0\n",
                  std::string(kernel->name).c_str(), std::string(isa_name(kernel->isa)).c_str(),
                  what, figure, kLimit);
      held = held && figure <= kLimit;
    };
    report("denormal keys and values", ordinary, denormal);
    report("weights below 2^-126", ordinary, small_weights);
    report("a mask with -inf", masked, hidden);
  }
  return held ? 0 : 1;
}

}  // namespace
}  // namespace attnlab

int main() { return attnlab::run(); }
