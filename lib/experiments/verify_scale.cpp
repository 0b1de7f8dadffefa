// Claims on the scale 1/sqrt(d): variance and spread of scores, entropy and largest weight of the
// softmax, and how much gradient it lets through. Random rows are drawn anew from one seed: the
// same numbers in every run, with four standard errors on either side of each mean.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "analysis/softmax_row.h"
#include "analysis/trial_statistics.h"
#include "base/choice.h"
#include "experiments/verify_groups.h"
#include "experiments/verify_kernels.h"
#include "experiments/verify_timing.h"
#include "random/dot_product.h"
#include "random/dot_product_theory.h"

namespace attnlab {
namespace {

constexpr std::int64_t kKeys = 8;

// The variance of q.k and four of its standard errors.
Mean variance_of(const DotProductSettings& settings, const ClaimContext& context) {
  const std::int64_t samples = 4 * context.trials;
  const CentralMoments moments =
      sample_dot_products(settings, samples, context.team, context.watch);
  const double variance = moments.variance(1);
  const double error =
      variance_standard_error(dot_product_theory(settings), samples, moments.excess_kurtosis())
          .value_or(HUGE_VAL);
  return {variance, {variance - 4 * error, variance + 4 * error}};
}

// The variance of the scores as the kernel's softmax sees them: half that of the difference of two
// scores of a row, which is the logarithm of the ratio of their weights.
Mean variance_behind(const Kernel& kernel, std::int64_t d, const ClaimContext& context) {
  Problem problem = self_attention(context.trials, 1, 2, d);
  problem.nq = 1;
  const std::vector<float> weights =
      weights_of(kernel, problem, normals(context.trials * d, context.seed, 0),
                 normals(context.trials * 2 * d, context.seed, 1), context.team);
  std::vector<double> halves;
  for (std::size_t row = 0; row < weights.size(); row += 2) {
    const double difference = std::log(static_cast<double>(weights[row])) -
                              std::log(static_cast<double>(weights[row + 1]));
    halves.push_back(difference * difference / 2);
  }
  return mean_of(halves);
}

void variance_grows(const ClaimContext& context, Findings& out) {
  std::string measured;
  for (const std::int64_t d : {4, 64, 1024}) {
    for (const Law law : {Law::kNormal, Law::kUniform, Law::kLaplace}) {
      const Mean variance = variance_of({.law = law, .d = d, .seed = context.seed}, context);
      const std::string name = choice_name(law);
      out.number({.quantity = fmt::format("variance of q.k, d = {}, {}", d, name),
                  .value = variance.value,
                  .interval = variance.interval});
      out.core(
          within(variance.interval, 0.8 * static_cast<double>(d), 1.2 * static_cast<double>(d)),
          fmt::format("the variance at d = {}, law {}, is near d", d, name),
          fmt::format("at d = {}, law {}, the variance is {:.4g}", d, name, variance.value));
      out.core(truth_of(variance.interval.low < static_cast<double>(d) &&
                        variance.interval.high > static_cast<double>(d)),
               "",
               fmt::format("at d = {}, law {}, d lies outside {:.4g} to {:.4g}", d, name,
                           variance.interval.low, variance.interval.high));
      if (law != Law::kNormal) continue;
      measured += fmt::format("{}{:.4g} at d = {}", measured.empty() ? "variance " : ", ",
                              variance.value, d);
    }
  }
  for (const std::int64_t d : {16, 64, 256}) {
    const Mean scaled = variance_behind(*context.kernel("flash"), d, context);
    out.number({.quantity = fmt::format("variance of the scaled scores, d = {}", d),
                .value = scaled.value,
                .interval = scaled.interval,
                .how = "behind the weights of the kernel flash"});
    out.core(within(scaled.interval, 0.7, 1.3),
             fmt::format("the scaled scores of d = {} have a variance near 1", d),
             fmt::format("the scaled scores of d = {} have the variance {:.3g}", d, scaled.value));
    if (d == 64) measured += fmt::format("; scaled {:.3f}", scaled.value);
  }
  const Mean shifted = variance_of({.mean_q = 1, .mean_k = 1, .seed = context.seed}, context);
  out.number({.quantity = "variance of q.k, d = 64, means 1",
              .value = shifted.value,
              .interval = shifted.interval,
              .how = "the condition: centred components"});
  out.remark(
      fmt::format("only for centred components: with means of 1 the variance at d = 64 is "
                  "{:.0f}",
                  shifted.value));
  out.measured(measured);
}

// Statistics of random rows: a new query against kKeys keys in each.
TrialStatistics rows_of(const ClaimContext& context, std::int64_t d, double scale) {
  return run_trials({.d = d, .keys = kKeys, .seed = context.seed}, scale, 1, context.trials,
                    context.team, context.watch);
}

double root(std::int64_t d) { return std::sqrt(static_cast<double>(d)); }

void spread(const ClaimContext& context, Findings& out) {
  std::string measured, ranges;
  for (const std::int64_t d : {64, 1024}) {
    const Mean variance = variance_of({.d = d, .seed = context.seed}, context);
    const double deviation = std::sqrt(variance.value);
    const Mean range = mean_of(rows_of(context, d, 1).spread);
    out.number(
        {.quantity = fmt::format("standard deviation of q.k, d = {}", d), .value = deviation});
    out.number({.quantity = fmt::format("mean range of eight scores, d = {}", d),
                .value = range.value,
                .interval = range.interval});
    out.core(truth_of(std::abs(deviation - root(d)) < 0.05 * root(d)), "",
             fmt::format("the standard deviation at d = {} is {:.3g}", d, deviation));
    out.wording(below(range.interval, 2 * root(d)),
                fmt::format("eight scores of d = {} lie within +-{:.0f}", d, root(d)),
                fmt::format("+-{:.0f} is a standard deviation: eight scores span {:.1f} on average",
                            root(d), range.value));
    measured += fmt::format("{}deviation {:.3g}, mean range {:.1f} at d = {}",
                            measured.empty() ? "" : "; ", deviation, range.value, d);
  }
  out.measured(measured);
}

void decided(const ClaimContext& context, Findings& out) {
  const TrialStatistics rows = rows_of(context, 64, 1);
  const Mean weight = mean_of(rows.max_weight);
  out.number({.quantity = "mean largest weight, d = 64, no scale",
              .value = weight.value,
              .interval = weight.interval});
  out.core(above(weight.interval, 0.75), "the largest weight is above 3/4 on average",
           fmt::format("the mean largest weight is {:.3f}", weight.value));
  constexpr std::uint64_t kPrintedSeed = 5;
  const TrialStatistics printed =
      run_trials({Design::kFresh, 64, kKeys, Rng::kMulberry32, kPrintedSeed}, 1, 1, 1, context.team,
                 context.watch);
  const TrialStatistics fresh = run_trials({Design::kFresh, 64, kKeys, Rng::kPhilox, context.seed},
                                           1, 1, context.trials, context.team, context.watch);
  const double rank = percentile_rank(fresh.max_weight, printed.max_weight[0]);
  out.number({.quantity = "largest weight of the printed run", .value = printed.max_weight[0]});
  out.number({.quantity = "its percentile among runs of its design", .value = rank, .unit = "%"});
  out.remark(fmt::format("the printed run, {:.3f}, is atypical: {:.1f} % of runs have less",
                         printed.max_weight[0], rank));
  out.measured(fmt::format("mean largest weight {:.3f}", weight.value));
}

// Weights of a kernel for random rows of one query and kKeys keys, without scale and with it.
std::pair<WeightStatistics, WeightStatistics> both_scales(const ClaimContext& context,
                                                          std::int64_t d) {
  Problem problem = self_attention(context.trials, 1, kKeys, d);
  problem.nq = 1;
  const std::vector<float> q = normals(context.trials * d, context.seed, 10);
  const std::vector<float> k = normals(context.trials * kKeys * d, context.seed, 11);
  const Kernel& kernel = *context.kernel("flash");
  const WeightStatistics scaled =
      statistics_of(weights_of(kernel, problem, q, k, context.team), kKeys);
  problem.scale = 1;
  return {statistics_of(weights_of(kernel, problem, q, k, context.team), kKeys), scaled};
}

void scale_off(const ClaimContext& context, Findings& out) {
  const auto [off, on] = both_scales(context, 64);
  std::int64_t entropy_exceptions = 0, weight_exceptions = 0;
  for (std::size_t i = 0; i < off.entropy.size(); ++i) {
    entropy_exceptions += off.entropy[i] < on.entropy[i] ? 0 : 1;
    weight_exceptions += off.max_weight[i] > on.max_weight[i] ? 0 : 1;
  }
  const Mean entropy_off = mean_of(off.entropy), entropy_on = mean_of(on.entropy);
  const auto rows = std::ssize(off.entropy);
  out.number({.quantity = "rows", .value = static_cast<double>(rows)});
  out.number({.quantity = "rows whose entropy does not fall",
              .value = static_cast<double>(entropy_exceptions)});
  out.number({.quantity = "rows whose largest weight does not rise",
              .value = static_cast<double>(weight_exceptions)});
  out.core(truth_of(entropy_exceptions == 0), "",
           fmt::format("in {} of {} rows the entropy does not fall", entropy_exceptions, rows));
  out.core(
      truth_of(weight_exceptions == 0), "",
      fmt::format("in {} of {} rows the largest weight does not rise", weight_exceptions, rows));
  out.measured(fmt::format("{} exceptions in {} rows; mean entropy {:.3f} without, {:.3f} with",
                           entropy_exceptions + weight_exceptions, rows, entropy_off.value,
                           entropy_on.value));
}

void larger_d(const ClaimContext& context, Findings& out) {
  std::string measured = "entropy";
  std::optional<Mean> before;
  for (const std::int64_t d : {64, 256, 1024}) {
    const Mean entropy = mean_of(rows_of(context, d, 1).entropy);
    out.number({.quantity = fmt::format("mean entropy, d = {}, no scale", d),
                .value = entropy.value,
                .unit = "bit",
                .interval = entropy.interval});
    if (before) {
      out.core(entropy.interval.high < before->interval.low   ? Truth::kYes
               : entropy.interval.low > before->interval.high ? Truth::kNo
                                                              : Truth::kUnknown,
               fmt::format("the entropy falls up to d = {}", d),
               fmt::format("at d = {} the entropy is not lower", d));
    }
    measured += fmt::format("{} {:.3f} at d = {}", before ? "," : "", entropy.value, d);
    before = entropy;
  }
  out.measured(measured + " (without scale)");
}

void uniform_bits(const ClaimContext& context, Findings& out) {
  const std::vector<double> equal(kKeys, 0.7);
  const double entropy = softmax_row(equal, 1, 1).entropy;
  Problem problem = self_attention(1, 1, kKeys, 16);
  problem.nq = 1;
  const std::vector<float> zero(16, 0.0f);
  const std::vector<float> weights = weights_of(*context.kernel("flash"), problem, zero,
                                                normals(kKeys * 16, context.seed, 0), context.team);
  const double of_kernel = statistics_of(weights, kKeys).entropy[0];
  out.number({.quantity = "entropy of eight equal scores", .value = entropy, .unit = "bit"});
  out.number({.quantity = "the same by the kernel flash", .value = of_kernel, .unit = "bit"});
  out.core(truth_of(std::abs(entropy - 3) <= 4 * 0x1p-52), "",
           fmt::format("it is {:.17g} bits in float64", entropy));
  out.core(truth_of(std::abs(of_kernel - 3) < 1e-6), "",
           fmt::format("it is {:.9g} bits by the kernel", of_kernel));
  out.measured(fmt::format("{:.9g} bits", entropy));
}

void gradients(const ClaimContext& context, Findings& out) {
  const auto [off, on] = both_scales(context, 64);
  const Mean without = mean_of(off.gradient_scale), with = mean_of(on.gradient_scale);
  std::int64_t exceptions = 0;
  for (std::size_t i = 0; i < off.gradient_scale.size(); ++i) {
    exceptions += off.gradient_scale[i] >= on.gradient_scale[i] ? 1 : 0;
  }
  const double share =
      100.0 * static_cast<double>(exceptions) / static_cast<double>(off.gradient_scale.size());
  out.number({.quantity = "mean max p(1-p), no scale, d = 64",
              .value = without.value,
              .interval = without.interval});
  out.number(
      {.quantity = "mean max p(1-p), scaled", .value = with.value, .interval = with.interval});
  out.number({.quantity = "draws in which it is not smaller without", .value = share, .unit = "%"});
  out.core(
      below({without.interval.low / with.interval.high, without.interval.high / with.interval.low},
            0.5),
      "the mean gradient scale is less than half without the scale",
      fmt::format("the mean gradient scale is {:.4f} without the scale and {:.4f} with it",
                  without.value, with.value));
  out.remark(fmt::format("on average, not for every draw: in {:.1f} % it is not smaller", share));
  out.measured(
      fmt::format("mean max p(1-p) {:.4f} without, {:.4f} with", without.value, with.value));
}

}  // namespace

void add_scale_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back({"variance-is-d", "Var(q.k) = d, and dividing by sqrt(d) makes it 1", "lesson",
                 K::kComputed,
                 "q.k of three laws at d = 4, 64, 1024, and the scores behind a kernel's weights; "
                 "four standard errors must hold d, and not be wide",
                 V::kHolds, "holds for independent, centred, unit-variance components only", 1.5,
                 variance_grows});
  out.push_back(
      {"unscaled-spread", "logits without scale spread over +-8 (d = 64), +-32 (d = 1024)",
       "lesson", K::kComputed,
       "standard deviation of q.k, and the mean range of eight scores of one query", V::kImprecise,
       "those are standard deviations; the mean range of 8 scores is 22.7 / 91.1", 1, spread});
  out.push_back({"decided-at-start", "unscaled attention is almost decided at initialisation",
                 "lesson", K::kComputed,
                 "mean largest weight over random rows of one query and eight keys, d = 64",
                 V::kHolds, "holds on average (mean max weight 0.875); the printed run is atypical",
                 0.5, decided});
  out.push_back({"scale-off", "without the scale the entropy falls and the largest weight rises",
                 "lesson", K::kComputed,
                 "row by row: weights of a kernel for the same rows without and with the scale",
                 V::kHolds, "holds always, row by row", 0.5, scale_off});
  out.push_back({"larger-d-saturates", "a larger d without scale saturates the softmax more",
                 "lesson", K::kComputed, "mean entropy of random rows at d = 64, 256, 1024",
                 V::kHolds, "holds statistically: entropy .459 -> .221 -> .108", 1, larger_d});
  out.push_back({"uniform-is-3-bits", "uniform weights over eight keys have 3 bits", "lesson",
                 K::kComputed, "entropy of eight equal scores, in float64 and by a kernel",
                 V::kHolds, "holds exactly", 0.1, uniform_bits});
  out.push_back({"gradients-vanish", "without the scale the gradients vanish", "both", K::kComputed,
                 "mean of max p(1-p) over a kernel's weights for the same rows without and with "
                 "the scale, d = 64, eight keys",
                 V::kHolds,
                 "holds on average (gradient scale 0.0823 against 0.2164); not for every draw", 0.5,
                 gradients});
}

}  // namespace attnlab
