// Claims on the softmax itself: weights that vanish, the overflow of plain code, temperature.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/softmax_row.h"
#include "experiments/verify_groups.h"
#include "experiments/verify_kernels.h"
#include "random/scores.h"

namespace attnlab {
namespace {

// The softmax as the explainer writes it: exponentials over their sum, in float32.
std::vector<float> plain_softmax(const std::vector<float>& scores) {
  std::vector<float> out(scores);
  for (float& weight : out) weight = std::exp(weight);
  const float sum = std::accumulate(out.begin(), out.end(), 0.0f);
  for (float& weight : out) weight /= sum;
  return out;
}

bool is_distribution(const std::vector<float>& weights) {
  const float sum = std::accumulate(weights.begin(), weights.end(), 0.0f);
  return std::abs(sum - 1) < 1e-5f;  // a NaN is none
}

// The float next to which `is_so` changes from false to true, between two of them.
template <class Predicate>
float first_float(float low, float high, const Predicate& is_so) {
  while (std::nextafter(low, high) < high) {
    const float middle = low + (high - low) / 2;
    (is_so(middle) ? high : low) = middle;
  }
  return high;
}

void all_values_used(const ClaimContext& context, Findings& out) {
  // Over the reals a weight is a quotient of positive numbers: so it is in double down to
  // exp(-745).
  const double far = std::exp(-200.0);
  out.number({.quantity = "exp(-200) in float64", .value = far});
  out.core(truth_of(far > 0), "", "exp(-200) is no positive number in float64");
  const float vanishes = -first_float(0, 200, [](float gap) { return std::exp(-gap) == 0; });
  out.number({.quantity = "score difference from which exp is 0 in float32",
              .value = static_cast<double>(vanishes)});
  // Two keys, whose scores differ by the gap, by a kernel.
  Problem problem = self_attention(1, 1, 2, 1);
  problem.nq = 1;
  problem.scale = 1;
  const Kernel& kernel = *context.kernel("flash");
  const auto small_weight = [&](float gap) {
    return weights_of(kernel, problem, {1.0f}, {0.0f, -gap}, context.team)[1];
  };
  const float of_kernel = -first_float(0, 200, [&](float gap) { return small_weight(gap) == 0; });
  out.number({.quantity = "the same by the kernel flash, whose weights are never denormal",
              .value = static_cast<double>(of_kernel)});
  out.core(truth_of(small_weight(10) > 0), "", "a key ten below the largest has the weight 0");
  // How often that happens without the scale.
  std::vector<double> scores(static_cast<std::size_t>(8 * context.trials));
  draw_scores({.d = 1024, .keys = 8, .seed = context.seed}, 0, scores);
  std::int64_t zeros = 0;
  for (std::size_t row = 0; row < scores.size(); row += 8) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(row);
    const double largest = *std::max_element(begin, begin + 8);
    zeros += std::count_if(begin, begin + 8,
                           [&](double score) { return score - largest < double{vanishes}; });
  }
  const double share = 100.0 * static_cast<double>(zeros) / static_cast<double>(scores.size());
  out.number({.quantity = "such weights among eight keys, d = 1024, no scale",
              .value = share,
              .unit = "%"});
  out.wording(truth_of(small_weight(105) > 0 && std::exp(-105.0f) > 0), "",
              fmt::format("true over the reals; in float32 a weight is an exact zero from {:.2f} "
                          "below the largest score on ({:.2f} by the kernel)",
                          -vanishes, -of_kernel));
  out.measured(
      fmt::format("zero below exp({:.2f}) in float32; {:.1f} % of the weights at d = 1024 "
                  "without scale",
                  vanishes, share));
}

void plain_code(const ClaimContext& context, Findings& out) {
  const std::vector<float> small{0.5f, -1.0f, 2.0f, 0.0f};
  out.number({.quantity = "weights for scores below 3 sum to 1",
              .value = is_distribution(plain_softmax(small)) ? 1.0 : 0.0});
  std::vector<float> shifted = small;
  for (float& score : shifted) score += 100;
  const bool survives = is_distribution(plain_softmax(shifted));
  // Rows of eight scores without scale that it turns into NaN.
  std::string measured;
  for (const std::int64_t d : {64, 1024}) {
    std::vector<double> scores(static_cast<std::size_t>(8 * context.trials));
    draw_scores({.d = d, .keys = 8, .seed = context.seed}, 0, scores);
    std::int64_t broken = 0;
    for (std::size_t row = 0; row < scores.size(); row += 8) {
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(row);
      broken += is_distribution(plain_softmax({begin, begin + 8})) ? 0 : 1;
    }
    const double share = 100.0 * static_cast<double>(broken) / static_cast<double>(context.trials);
    out.number({.quantity = fmt::format("rows that it spoils, d = {}, no scale, eight keys", d),
                .value = share,
                .unit = "%"});
    measured += fmt::format("{}{:.2f} % of the rows spoiled at d = {}",
                            measured.empty() ? "" : ", ", share, d);
  }
  out.core(truth_of(is_distribution(plain_softmax(small))), "",
           "scores below 3 give no weights that sum to 1");
  out.core(truth_of(survives), "",
           "the same scores raised by 100, whose softmax is the same, give NaN: exp overflows");
  out.measured(measured + " without scale");
}

void overflow(const ClaimContext&, Findings& out) {
  constexpr double kSaid = 88.72283;  // ln of the largest float32
  std::string measured;
  for (const std::int64_t keys : {1, 2, 8, 64, 1024}) {
    const float found = first_float(80, 100, [&](float score) {
      return !is_distribution(
          plain_softmax(std::vector<float>(static_cast<std::size_t>(keys), score)));
    });
    const double said = kSaid - std::log(static_cast<double>(keys));
    out.number({.quantity = fmt::format("score from which {} equal keys overflow", keys),
                .value = static_cast<double>(found)});
    out.core(truth_of(std::abs(static_cast<double>(found) - said) < 2e-5), "",
             fmt::format("{} equal scores overflow from {:.5f} on, not {:.5f}", keys, found, said));
    measured += fmt::format("{}{:.5f} for {}", measured.empty() ? "from " : ", ", found, keys);
  }
  out.measured(measured + " equal scores");
}

void soft_becomes_hard(const ClaimContext& context, Findings& out) {
  constexpr std::int64_t kRows = 256, kKeys = 16, kSize = 8;
  Problem problem = self_attention(1, 1, kKeys, kSize);
  problem.nq = kRows;
  const Kernel& kernel = *context.kernel("flash");
  const QueryKeyValue x = random_operands(problem, context.seed);
  // The value of the key with the largest score.
  std::vector<float> hard;
  for (std::int64_t i = 0; i < kRows; ++i) {
    std::int64_t best = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < kKeys; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < kSize; ++c) {
        score += double{x.q[static_cast<std::size_t>(i * kSize + c)]} *
                 double{x.k[static_cast<std::size_t>(j * kSize + c)]};
      }
      if (score > largest) largest = score, best = j;
    }
    const auto from = x.v.begin() + best * kSize;
    hard.insert(hard.end(), from, from + kSize);
  }
  double before = 0, last = 0, first = 0;
  bool rises = true;
  for (int power = 0; power <= 30; power += 3) {
    problem.temperature = std::ldexp(1.0, -power);
    last = largest_difference(attend(kernel, problem, x, context.team), hard);
    if (power == 0) first = last;
    const std::vector<double> weights =
        statistics_of(weights_of(kernel, problem, x.q, x.k, context.team), kKeys).max_weight;
    const double mean = mean_of(weights).value;
    rises = rises && mean >= before - 1e-6;
    before = mean;
  }
  problem.temperature = 0;
  const double limit = largest_difference(attend(kernel, problem, x, context.team), hard);
  out.number({.quantity = "distance to the hard lookup at T = 1", .value = first});
  out.number({.quantity = "at T = 2^-30", .value = last});
  out.number({.quantity = "at T = 0", .value = limit});
  out.core(truth_of(rises), "", "the mean largest weight does not rise as T falls");
  out.core(truth_of(last < 1e-5 && limit < 1e-5), "",
           fmt::format("the output stays {:.2g} away from the best key's value", last));
  out.core(truth_of(first > 0.1), "", "at T = 1 it is a hard lookup already");
  out.measured(fmt::format("distance {:.2f} at T = 1, {:.1g} at T = 2^-30, {:.1g} at T = 0", first,
                           last, limit));
}

// dH/dbeta = -beta Var_p(s) in nats and d ln pmax / dbeta = smax - E_p s, by central differences.
void monotone(const ClaimContext& context, Findings& out) {
  constexpr std::int64_t kKeys = 8;
  constexpr double kNats = 0.6931471805599453;  // a bit
  std::vector<double> scores(static_cast<std::size_t>(kKeys * context.trials));
  draw_scores({.d = 64, .keys = kKeys, .seed = context.seed}, 0, scores);
  double worst = 0;
  std::int64_t exceptions = 0, checked = 0;
  for (std::int64_t r = 0; r < context.trials; ++r) {
    const std::span<const double> row(&scores[static_cast<std::size_t>(r * kKeys)], kKeys);
    for (const double beta : {0.02, 0.125, 0.5}) {
      const double step = 1e-3 * beta;
      const RowStatistics low = softmax_row(row, beta - step, 1), at = softmax_row(row, beta, 1),
                          high = softmax_row(row, beta + step, 1);
      const double largest = *std::max_element(row.begin(), row.end());
      double mean = 0, square = 0;
      for (const double score : row) {
        const double weight = at.max_weight * std::exp(beta * (score - largest));
        mean += weight * (score - largest);
        square += weight * (score - largest) * (score - largest);
      }
      const double entropy_slope = (high.entropy - low.entropy) * kNats / (2 * step);
      const double weight_slope =
          (std::log(high.max_weight) - std::log(low.max_weight)) / (2 * step);
      const double variance = square - mean * mean;
      const double scale = 1 + std::abs(variance) * beta + std::abs(mean);
      worst = std::max({worst, std::abs(entropy_slope + beta * variance) / scale,
                        std::abs(weight_slope + mean) / scale});
      exceptions += high.entropy <= low.entropy && high.max_weight >= low.max_weight ? 0 : 1;
      ++checked;
    }
  }
  out.number({.quantity = "rows and inverse temperatures", .value = static_cast<double>(checked)});
  out.number({.quantity = "exceptions", .value = static_cast<double>(exceptions)});
  out.number({.quantity = "largest relative error of the two derivatives", .value = worst});
  out.core(truth_of(exceptions == 0), "",
           fmt::format("in {} of {} cases entropy or largest weight go the other way", exceptions,
                       checked));
  out.core(truth_of(worst < 1e-3), "", fmt::format("the derivatives are off by {:.2g}", worst));
  out.measured(fmt::format("{} exceptions in {} cases; derivatives within {:.1g}", exceptions,
                           checked, worst));
}

void gradient_falls(const ClaimContext& context, Findings& out) {
  constexpr std::int64_t kKeys = 8;
  std::vector<double> scores(static_cast<std::size_t>(kKeys * context.trials));
  draw_scores({.d = 64, .keys = kKeys, .seed = context.seed}, 0, scores);
  std::int64_t rises = 0;
  for (std::int64_t r = 0; r < context.trials; ++r) {
    const std::span<const double> row(&scores[static_cast<std::size_t>(r * kKeys)], kKeys);
    rises += softmax_row(row, 1, 1).gradient_scale > softmax_row(row, 0.125, 1).gradient_scale;
  }
  const double share = 100.0 * static_cast<double>(rises) / static_cast<double>(context.trials);
  out.number({.quantity = "rows whose max p(1-p) rises with the inverse temperature, d = 64",
              .value = share,
              .unit = "%"});
  out.core(truth_of(rises == 0), "",
           fmt::format("from 1/8 to 1 the gradient scale rises in {:.1f} % of the rows: it is "
                       "largest where two keys share the weight",
                       share));
  out.measured(fmt::format("it rises in {:.1f} % of {} rows", share, context.trials));
}

}  // namespace

void add_softmax_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back({"all-values-used", "all values are always used", "explainer", K::kComputed,
                 "the score difference at which a weight becomes zero, in float32 and by a kernel",
                 V::kImprecise,
                 "true over the reals; weights underflow to exact zero in float32 below exp(-104)",
                 0.2, all_values_used});
  out.push_back({"plain-softmax-code", "the softmax code (exp without the maximum) works",
                 "explainer", K::kComputed,
                 "that code in float32 on small scores, on the same raised by 100, and on random "
                 "rows without scale",
                 V::kDoesNotHold, "does not hold for large scores", 0.3, plain_code});
  out.push_back({"overflow-at-88.72283",
                 "that code overflows above 88.72283, m equal scores above 88.72283 - ln m",
                 "ledger", K::kComputed,
                 "bisection over float32 for 1, 2, 8, 64, 1024 equal scores", V::kHolds,
                 "float32 overflows above 88.72283, a row of m equal scores already above "
                 "88.72283 - ln m",
                 0.1, overflow});
  out.push_back({"soft-becomes-hard", "the soft lookup goes over into the hard one as T goes to 0",
                 "lesson", K::kComputed,
                 "distance of a kernel's output to the value of the best key, T = 1 ... 2^-30, 0",
                 V::kHolds, "a property of the softmax", 0.2, soft_becomes_hard});
  out.push_back({"entropy-and-weight-monotone",
                 "a higher inverse temperature lowers entropy, raises the largest weight", "lesson",
                 K::kComputed,
                 "random rows at three temperatures: order, and both derivatives by differences",
                 V::kHolds, "always true of a row whose scores are not all equal", 1, monotone});
  out.push_back({"gradient-scale-falls",
                 "a higher inverse temperature lowers the gradient scale, too", "lesson",
                 K::kComputed, "max p(1-p) of random rows at inverse temperatures 1/8 and 1",
                 V::kDoesNotHold, "not always true", 0.3, gradient_falls});
}

}  // namespace attnlab
