#include "experiments/verify_timing.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "experiments/verify_kernels.h"
#include "measure/fit.h"
#include "measure/sampler.h"

namespace attnlab {
namespace {

constexpr double kLeastSample = 0.002;  // seconds

// Seconds that the calling thread has computed.
class ThreadClock : public Clock {
 public:
  double now() override {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
};

// A kernel set up with its operands.
class PreparedCall {
 public:
  PreparedCall(const Kernel& kernel, const Problem& problem)
      : kernel_(kernel, problem, 1),
        x_(random_operands(problem, problem.seed)),
        out_(static_cast<std::size_t>(problem.batch * problem.heads * problem.nq *
                                      problem.head_dim_v)) {
    const Problem& p = problem;
    operands_.q = ConstView(x_.q.data(), {p.batch, p.heads, p.nq, p.head_dim});
    operands_.k = ConstView(x_.k.data(), {p.batch, p.kv_heads, p.nk, p.head_dim});
    operands_.v = ConstView(x_.v.data(), {p.batch, p.kv_heads, p.nk, p.head_dim_v});
    operands_.o = View(out_.data(), {p.batch, p.heads, p.nq, p.head_dim_v});
  }
  void run(ThreadTeam& team) const { kernel_.run(operands_, team); }

 private:
  PreparedKernel kernel_;
  QueryKeyValue x_;
  std::vector<float> out_;
  Operands operands_;
};

}  // namespace

TimedCall kernel_call(const Kernel& kernel, const Problem& problem, double n) {
  auto call = std::make_shared<PreparedCall>(kernel, problem);
  return {n, [call](ThreadTeam& team) { call->run(team); }};
}

TimedCalls kernel_calls(const ClaimContext& context, std::string_view kernel,
                        const std::vector<std::int64_t>& lengths,
                        const std::function<void(Problem&)>& change) {
  TimedCalls out{std::string(kernel), {}};
  for (const std::int64_t n : lengths) {
    Problem problem = self_attention(1, 1, n, 64);
    if (change) change(problem);
    out.calls.push_back(kernel_call(*context.kernel(kernel), problem, static_cast<double>(n)));
  }
  return out;
}

std::vector<std::int64_t> doublings(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = first; n <= last; n *= 2) out.push_back(n);
  return out;
}

std::vector<std::vector<SizedSamples>> take_times(const ClaimContext& context,
                                                  const std::vector<TimedCalls>& curves,
                                                  double seconds) {
  ThreadTeam team(1);
  std::vector<Subject> subjects;
  double round = 0;  // seconds by the clock
  SteadyClock wall;
  for (const TimedCalls& curve : curves) {
    for (const TimedCall& one : curve.calls) {
      if (context.watch.stopped()) throw GaveUp();
      const double start = wall.now();
      one.run(team);
      round += std::max(wall.now() - start, kLeastSample);
      subjects.push_back({[&one, &team] { one.run(team); }});
    }
  }
  const auto affordable = static_cast<std::int64_t>(seconds / round);
  const std::int64_t repeats = std::max(kFewestSamples, std::min(context.repeats, affordable));
  ThreadClock clock;
  const std::vector<Series> series = take_samples(
      subjects, {.repeats = repeats, .warmup = 1, .min_time = kLeastSample, .seed = context.seed},
      clock, context.watch);
  if (context.watch.stopped()) throw GaveUp();
  std::vector<std::vector<SizedSamples>> out;
  std::size_t next = 0;
  for (const TimedCalls& curve : curves) {
    std::vector<SizedSamples>& sizes = out.emplace_back();
    for (const TimedCall& one : curve.calls) {
      sizes.push_back({one.n, {series[next++].samples}});
    }
  }
  return out;
}

Exponent exponent_of(const std::vector<SizedSamples>& sizes, std::uint64_t seed) {
  for (const Fit& fit : fit_times(sizes, seed)) {
    if (!fit.form().is_power_law || !fit.exponent_low || !fit.exponent_high) continue;
    return {*fit.exponent, {*fit.exponent_low, *fit.exponent_high}};
  }
  // Too few samples for an interval (an interrupted run): nothing is known.
  return {0, {-HUGE_VAL, HUGE_VAL}};
}

Ratio ratio_of(const SizedSamples& numerator, const SizedSamples& denominator, std::uint64_t seed) {
  const std::vector<double> a = pooled(numerator.samples), b = pooled(denominator.samples);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  if (ratios.empty()) return {0, {-HUGE_VAL, HUGE_VAL}};
  const auto interval = median_interval({ratios}, seed);
  return {median(ratios), interval.value_or(Interval{-HUGE_VAL, HUGE_VAL})};
}

std::string with_interval(double value, const Interval& interval, int decimals) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", value, decimals, interval.low, decimals,
                     interval.high, decimals);
}

Exponent report_exponent(const std::string& name, const std::vector<SizedSamples>& sizes,
                         std::uint64_t seed, Findings& out) {
  const Exponent exponent = exponent_of(sizes, seed);
  out.number({.quantity = "exponent of n in the time of " + name,
              .value = exponent.value,
              .interval = exponent.interval});
  return exponent;
}

}  // namespace attnlab
