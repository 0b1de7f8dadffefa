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
  const double best = scale < 0.0 ? *low : *high, factor = scale / temperature;
  if (!std::isfinite(factor)) {
    const auto ties = scale == 0.0 ? static_cast<std::ptrdiff_t>(scores.size())
                                   : std::count(scores.begin(), scores.end(), best);
    const double m = static_cast<double>(ties);
    return {std::numeric_limits<double>::quiet_NaN(), std::log2(m), 1.0 / m, (m - 1.0) / (m * m)};
  }
  // Sums of e^-g and g e^-g over the gaps g > 0 to the largest logit. What the largest itself adds
  // is 1; leaving it out keeps 1 - p exact where p is nearly 1.
  double rest = -1.0, small = 0.0, weighted = 0.0;
  for (const double score : scores) {
    const double gap = (best - score) * factor;
    if (gap > 0.0) {
      const double e = std::exp(-gap);
      small += e;
      if (e > 0.0) weighted += gap * e;
    } else {
      rest += 1.0;
    }
  }
  rest += small;
  const double sum = 1.0 + rest;
  return {(*high - *low) * std::abs(factor),
          (std::log1p(rest) + weighted / sum) * std::numbers::log2e, 1.0 / sum, rest / (sum * sum)};
}

}  // namespace attnlab
