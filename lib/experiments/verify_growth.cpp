// Claims on how time and memory grow with the sequence. Times are of one head of 64 on one thread,
// taken in turns; a kernel grows as n or as n^2 when the whole interval of its exponent lies on one
// side of 1.5.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/kv_cache.h"
#include "attention/reference.h"
#include "experiments/verify_counting.h"
#include "experiments/verify_groups.h"
#include "experiments/verify_kernels.h"
#include "experiments/verify_timing.h"
#include "measure/crossover.h"

namespace attnlab {
namespace {

constexpr double kSeconds = 6;  // by the clock, of one claim's samples

// Lengths for kernels of n^2, and for those of n.
std::vector<std::int64_t> square_lengths(const ClaimContext& context) {
  return doublings(context.longest / 16, context.longest / 2);
}
std::vector<std::int64_t> linear_lengths(const ClaimContext& context) {
  return doublings(context.longest / 8, context.longest);
}

void small_window(Problem& problem) { problem.window = 64; }

// Adds that the time grows as n^2, or as n.
Exponent check_square(const std::string& name, const std::vector<SizedSamples>& sizes,
                      const ClaimContext& context, Findings& out) {
  const Exponent e = report_exponent(name, sizes, context.seed, out);
  const std::string text = with_interval(e.value, e.interval);
  out.core(within(e.interval, kBetweenLinearAndSquare, 2.5),
           fmt::format("{} grows about as n^2, exponent {}", name, text),
           fmt::format("{} grows as n^{}", name, text));
  return e;
}
Exponent check_linear(const std::string& name, const std::vector<SizedSamples>& sizes,
                      const ClaimContext& context, Findings& out) {
  const Exponent e = report_exponent(name, sizes, context.seed, out);
  const std::string text = with_interval(e.value, e.interval);
  out.core(below(e.interval, kBetweenLinearAndSquare),
           fmt::format("{} grows about as n, exponent {}", name, text),
           fmt::format("{} grows as n^{}", name, text));
  return e;
}

std::int64_t workspace_at(const Kernel& kernel, std::int64_t n) {
  return kernel.workspace(self_attention(1, 1, n, 64), 1);
}

void naive_cost(const ClaimContext& context, Findings& out) {
  const Kernel& kernel = *context.kernel("naive");
  const Problem small = self_attention(1, 1, 1000, 64), large = self_attention(1, 1, 100'000, 64);
  const std::int64_t few = total_pairs(small, kernel.op).value(),
                     many = total_pairs(large, kernel.op).value();
  out.core(truth_of(few == 1'000'000 && many == 10'000'000'000), "",
           fmt::format("1,000 tokens have {} weights, 100,000 {}", few, many));
  out.core(truth_of(kernel.macs(large) == kernel.macs(small) * 10'000), "",
           "multiply-adds do not grow as n^2");
  Problem wide = small;
  wide.head_dim = wide.head_dim_v = 128;
  out.core(truth_of(kernel.macs(wide) == 2 * kernel.macs(small)), "",
           "multiply-adds do not grow as d");
  const double memory = std::log2(static_cast<double>(workspace_at(kernel, 65536)) /
                                  static_cast<double>(workspace_at(kernel, 32768)));
  out.core(truth_of(std::abs(memory - 2) < 0.05), "",
           fmt::format("its memory grows as n^{:.2f}", memory));
  const auto times =
      take_times(context, {kernel_calls(context, "naive", square_lengths(context))}, kSeconds);
  const Exponent e = check_square("naive", times[0], context, out);
  out.number({.quantity = "weights of 1,000 tokens", .value = static_cast<double>(few)});
  out.number({.quantity = "weights of 100,000 tokens", .value = static_cast<double>(many)});
  out.number({.quantity = "exponent of n in the memory of naive", .value = memory});
  out.measured(
      fmt::format("time n^{}, memory n^{:.2f}", with_interval(e.value, e.interval), memory));
}

void flash_cost(const ClaimContext& context, Findings& out) {
  const Kernel& kernel = *context.kernel("flash");
  const std::int64_t short_bytes = workspace_at(kernel, 4096),
                     long_bytes = workspace_at(kernel, 65536);
  out.number({.quantity = "workspace of flash, n = 4096",
              .value = static_cast<double>(short_bytes),
              .unit = "B"});
  out.number({.quantity = "workspace of flash, n = 65536",
              .value = static_cast<double>(long_bytes),
              .unit = "B"});
  out.core(truth_of(long_bytes <= 16 * short_bytes), "",
           fmt::format("its workspace grows from {} to {} bytes over 16 times the length",
                       short_bytes, long_bytes));
  const auto times =
      take_times(context, {kernel_calls(context, "flash", square_lengths(context))}, kSeconds);
  const Exponent e = check_square("flash", times[0], context, out);
  out.measured(fmt::format("time n^{}, workspace {} B at n = 4096, {} B at 65536",
                           with_interval(e.value, e.interval), short_bytes, long_bytes));
}

void optimised_tiled(const ClaimContext& context, Findings& out) {
  const auto times =
      take_times(context, {kernel_calls(context, "flash", square_lengths(context))}, kSeconds);
  const Exponent e = check_linear("flash", times[0], context, out);
  out.remark("FlashAttention has a smaller constant, not a smaller exponent");
  out.measured(fmt::format("flash: time n^{}", with_interval(e.value, e.interval)));
}

void optimised_window(const ClaimContext& context, Findings& out) {
  const std::vector<std::int64_t> lengths = linear_lengths(context);
  const auto times = take_times(context,
                                {kernel_calls(context, "window", lengths, small_window),
                                 kernel_calls(context, "linear", lengths)},
                                kSeconds);
  const Exponent window = check_linear("window", times[0], context, out);
  const Exponent linear = check_linear("linear", times[1], context, out);
  out.measured(fmt::format("window: n^{}, linear: n^{}",
                           with_interval(window.value, window.interval),
                           with_interval(linear.value, linear.interval)));
}

void sparse(const ClaimContext& context, Findings& out) {
  Problem problem = self_attention(1, 1, 500, 64);
  problem.window = 32;
  problem.global_tokens = 4;
  problem.random_blocks = 1;
  for (const Operator op : {Operator::kWindow, Operator::kBigBird}) {
    const std::int64_t loops = pairs_by_loops(problem, op);
    const std::int64_t formula = total_pairs(problem, op).value();
    const std::string name(operator_name(op));
    out.number({.quantity = "pairs of " + name + " counted by loops, n = 500",
                .value = static_cast<double>(loops)});
    out.core(truth_of(loops == formula), "",
             fmt::format("loops count {} pairs of {}, the formula {}", loops, name, formula));
    Problem longer = problem;
    longer.nq = longer.nk = 65536;
    Problem shorter = problem;
    shorter.nq = shorter.nk = 16384;
    const double growth = std::log2(static_cast<double>(total_pairs(longer, op).value()) /
                                    static_cast<double>(total_pairs(shorter, op).value())) /
                          2;
    out.number({.quantity = "exponent of n in the pairs of " + name, .value = growth});
    out.core(truth_of(std::abs(growth - 1) < 0.05), "",
             fmt::format("pairs of {} grow as n^{:.2f}", name, growth));
  }
  const std::vector<std::int64_t> lengths = linear_lengths(context);
  const auto globals = [](Problem& p) {
    small_window(p);
    p.global_tokens = 16;
  };
  const auto times = take_times(
      context,
      {kernel_calls(context, "window", lengths, globals), kernel_calls(context, "bigbird", lengths,
                                                                       [&](Problem& p) {
                                                                         small_window(p);
                                                                         p.random_blocks = 2;
                                                                       })},
      kSeconds);
  const Exponent window = check_linear("window with global tokens", times[0], context, out);
  const Exponent bigbird = check_linear("bigbird", times[1], context, out);
  out.measured(fmt::format("window with global tokens: n^{}, bigbird: n^{}",
                           with_interval(window.value, window.interval),
                           with_interval(bigbird.value, bigbird.interval)));
}

// The largest error against softmax attention in float64.
double approximation_error(const ClaimContext& context, std::string_view kernel) {
  Problem problem = self_attention(1, 1, 256, 64);
  const QueryKeyValue x = random_operands(problem, context.seed);
  const std::vector<float> o = attend(*context.kernel(kernel), problem, x, context.team);
  std::vector<std::int64_t> rows(256);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  const Index4 shape{1, 1, 256, 64};
  std::vector<double> truth(o.size());
  reference_rows(problem, Operator::kDense,
                 {.q = ConstView(x.q.data(), shape),
                  .k = ConstView(x.k.data(), shape),
                  .v = ConstView(x.v.data(), shape)},
                 rows, View(truth.data(), shape), context.team);
  return max_difference(ConstView(o.data(), shape), ConstView(truth.data(), shape));
}

void linear_attention(const ClaimContext& context, Findings& out) {
  const Kernel& kernel = *context.kernel("linear");
  const auto macs = [&](std::int64_t n, std::int64_t d) {
    return static_cast<double>(kernel.macs(self_attention(1, 1, n, d)));
  };
  const double in_n = std::log2(macs(4096, 64) / macs(2048, 64));
  const double in_d = std::log2(macs(4096, 256) / macs(4096, 128));
  out.number({.quantity = "exponent of n in its multiply-adds", .value = in_n});
  out.number({.quantity = "exponent of d in its multiply-adds", .value = in_d});
  out.core(truth_of(std::abs(in_n - 1) < 0.01 && std::abs(in_d - 2) < 0.05), "",
           fmt::format("its multiply-adds grow as n^{:.2f} d^{:.2f}", in_n, in_d));
  std::vector<std::int64_t> lengths = doublings(16, context.longest / 4);
  const auto times = take_times(
      context, {kernel_calls(context, "flash", lengths), kernel_calls(context, "linear", lengths)},
      kSeconds);
  const Ratio wins = ratio_of(times[0].back(), times[1].back(), context.seed);
  const Ratio loses = ratio_of(times[0].front(), times[1].front(), context.seed);
  out.number({.quantity = fmt::format("time of flash over linear, n = {}", lengths.back()),
              .value = wins.value,
              .interval = wins.interval});
  out.number({.quantity = fmt::format("time of flash over linear, n = {}", lengths.front()),
              .value = loses.value,
              .interval = loses.interval});
  out.core(above(wins.interval, 1), "it is faster than flash at the longest sequence",
           fmt::format("at n = {} flash takes {} times its time", lengths.back(),
                       with_interval(wins.value, wins.interval)));
  out.core(below(loses.interval, 1), "it is slower than flash at the shortest sequence",
           fmt::format("at n = {} flash takes {} times its time", lengths.front(),
                       with_interval(loses.value, loses.interval)));
  const std::vector<TimedCurve> curves{{"flash", times[0]}, {"linear", times[1]}};
  std::string crossover = "none found";
  for (const TimedCrossover& one : find_crossovers(curves, context.seed)) {
    if (!one.n) continue;
    Evidence n{.quantity = "n from which linear is faster than flash", .value = *one.n};
    if (one.n_low && one.n_high) n.interval = Interval{*one.n_low, *one.n_high};
    out.number(std::move(n));
    crossover = fmt::format("{:.0f}", *one.n);
  }
  const double less_exact = approximation_error(context, "linear"),
               exact = approximation_error(context, "flash");
  out.number({.quantity = "largest error of linear against softmax, n = 256", .value = less_exact});
  out.number({.quantity = "largest error of flash against softmax", .value = exact});
  out.core(
      truth_of(less_exact > 100 * exact), "",
      fmt::format("its error against softmax is {:.2g}, that of flash {:.2g}", less_exact, exact));
  out.measured(
      fmt::format("crossover with flash n = {}; error against softmax {:.2g} (flash {:.1g})",
                  crossover, less_exact, exact));
}

// Multiply-adds of all tokens one after the other.
double generated_macs(const ClaimContext& context, std::int64_t n, Generation::Cache cache) {
  Problem problem = self_attention(1, 1, n, 64);
  problem.causal = Causal::kBottomRight;
  const Kernel& kernel = *context.kernel(cache == Generation::Cache::kYes ? "decode" : "flash");
  double out = 0;
  for (std::int64_t t = 1; t <= n; ++t) {
    out += static_cast<double>(kernel.macs(Generation::step_problem(problem, t, cache)));
  }
  return out;
}

// How far tokens generated with the cache are from attention over all of them at once.
double cache_error(const ClaimContext& context) {
  Problem problem = self_attention(1, 2, 80, 32);
  problem.causal = Causal::kBottomRight;
  const QueryKeyValue x = random_operands(problem, context.seed);
  const std::vector<float> at_once = attend(*context.kernel("flash"), problem, x, context.team);
  const Index4 shape{1, 2, 80, 32};
  std::vector<float> o(at_once.size());
  const Operands operands{.q = ConstView(x.q.data(), shape),
                          .k = ConstView(x.k.data(), shape),
                          .v = ConstView(x.v.data(), shape),
                          .o = View(o.data(), shape)};
  Generation generation(*context.kernel("decode"), problem, Generation::Cache::kYes,
                        context.team.threads());
  for (std::int64_t t = 0; t < problem.nq; ++t) generation.step(operands, context.team);
  return largest_difference(o, at_once);
}

void kv_cache(const ClaimContext& context, Findings& out) {
  const double with = std::log2(generated_macs(context, 2048, Generation::Cache::kYes) /
                                generated_macs(context, 1024, Generation::Cache::kYes));
  const double without = std::log2(generated_macs(context, 2048, Generation::Cache::kNo) /
                                   generated_macs(context, 1024, Generation::Cache::kNo));
  out.number({.quantity = "exponent of n in all multiply-adds of generation, with the cache",
              .value = with});
  out.number({.quantity = "without it", .value = without});
  out.core(truth_of(std::abs(with - 2) < 0.05), "",
           fmt::format("generation with a cache grows as n^{:.2f}", with));
  out.core(truth_of(std::abs(without - 3) < 0.05), "",
           fmt::format("generation without a cache grows as n^{:.2f}", without));
  const double error = cache_error(context);
  out.number(
      {.quantity = "difference of generated rows and causal attention at once", .value = error});
  out.core(
      truth_of(error < 1e-4), "",
      fmt::format("rows generated with the cache differ from causal attention by {:.2g}", error));
  // Over so many lengths that it matters little where the cache outgrows the processor's.
  TimedCalls tokens{"decode", {}};
  for (const std::int64_t n : doublings(256, 16 * context.longest)) {
    Problem problem = self_attention(1, 1, n, 64);
    problem.nq = 1;
    problem.causal = Causal::kBottomRight;
    tokens.calls.push_back(kernel_call(*context.kernel("decode"), problem, double(n)));
  }
  const auto causal = [](Problem& p) { p.causal = Causal::kBottomRight; };
  const auto times = take_times(
      context, {std::move(tokens), kernel_calls(context, "flash", square_lengths(context), causal)},
      kSeconds);
  const Exponent token = check_linear("a token on the cache", times[0], context, out);
  const Exponent prefill = check_square("prefill", times[1], context, out);
  out.remark(fmt::format("all tokens: n^{:.2f} with the cache, n^{:.2f} without", with, without));
  out.measured(fmt::format("a token: n^{}, prefill: n^{}",
                           with_interval(token.value, token.interval),
                           with_interval(prefill.value, prefill.interval)));
}

}  // namespace

void add_growth_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back(
      {"naive-cost", "naive attention: O(n^2 d) time, O(n^2) memory", "explainer", K::kTimed,
       "weights and multiply-adds counted, workspace by its formula, exponent of n in "
       "the time",
       V::kHolds, "holds; 1,000 tokens: 1 million weights, 100,000: 10^10", 8, naive_cost});
  out.push_back(
      {"flash-cost", "FlashAttention: O(n^2 d) time, O(n) extra memory", "explainer", K::kTimed,
       "exponent of n in the time of flash, its workspace over 16 times n", V::kHolds,
       "holds: time exponent stays 2, its workspace does not grow faster than n", 8, flash_cost});
  out.push_back(
      {"optimised-is-linear", "optimised attention grows as O(n) or O(n log n)", "explainer",
       K::kTimed, "exponent of n in the time of the tiled kernel", V::kDoesNotHold,
       "does not hold for the tiled kernel (still n^2, smaller constant)", 8, optimised_tiled});
  out.push_back({"window-and-linear-are-linear",
                 "optimised attention grows as O(n): window and linear attention", "explainer",
                 K::kTimed, "exponents of n in the times of window and linear", V::kHolds,
                 "holds for window and linear attention", 7, optimised_window});
  out.push_back({"sparse-is-nk", "sparse attention: O(n k d)", "explainer", K::kTimed,
                 "pairs of window, global tokens and random blocks by loops and formula, exponents "
                 "of n in the times",
                 V::kHolds, "holds for window, global tokens and BigBird's random blocks", 8,
                 sparse});
  out.push_back(
      {"linear-attention",
       "linear attention: O(n d^2), wins for long n, loses for short, less exact", "explainer",
       K::kTimed, "multiply-adds, times beside flash at short and long n, error against softmax",
       V::kHolds, "holds; print the crossover and the error against softmax", 8, linear_attention});
  out.push_back(
      {"kv-cache", "KV-cache: O(n) a generated token, O(n^2) prefill", "explainer", K::kTimed,
       "exponents of n in the times of one query on the cache and of causal prefill; "
       "multiply-adds of whole generations; generated rows against causal attention",
       V::kHolds, "holds for attention; total generation O(n^2) with a cache, O(n^3) without", 9,
       kv_cache});
}

}  // namespace attnlab
