#include "analysis/softmax_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace attnlab {

RowStatistics softmax_row(std::span<const double> scores, double scale, double temperature) {
  ATTNLAB_CHECK(!scores.empty() && temperature >= 0.0);
  // A negative scale turns the order round: the largest logit is then that of the smallest score.
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const double best = scale < 0.0 ? *low : *high;
  RowStatistics out;
  if (temperature == 0.0) {
    const auto ties = scale == 0.0 ? static_cast<std::ptrdiff_t>(scores.size())
                                   : std::count(scores.begin(), scores.end(), best);
    const double m = static_cast<double>(ties);
    out = {std::numeric_limits<double>::quiet_NaN(), std::log2(m), 1.0 / m, (m - 1.0) / (m * m)};
    return out;
  }
  const double factor = scale / temperature;
  double sum = 0.0, weighted = 0.0;  // of e^-g and g e^-g over the gaps g >= 0 to the largest logit
  for (const double score : scores) {
    const double gap = (best - score) * factor, e = std::exp(-gap);
    sum += e;
    if (e > 0.0) weighted += gap * e;
  }
  const double rest = sum - 1.0;
  out.spread = (*high - *low) * std::abs(factor);
  out.entropy = (std::log1p(rest) + weighted / sum) * std::numbers::log2e;
  out.max_weight = 1.0 / sum;
  out.gradient_scale = rest / (sum * sum);
  return out;
}

}  // namespace attnlab
