// What theory says of q.k and of the variance measured from N samples of it.
// Independent q and k with means a and b, variance 1, symmetric laws, fourth moment m4:
//   mean d a b     variance d (1 + a^2 + b^2)
//   excess kurtosis (E4 / (1 + a^2 + b^2)^2 - 3) / d,
//   E4 = m4 (a^4 + b^4) + m4^2 + 6 a^2 b^2 + 6 m4 (a^2 + b^2)
// Tied, k = q with mean a: mean d (1 + a^2), variance d (4 a^2 + m4 - 1).
// The ddof-1 variance of N samples has the variance Var(q.k)^2 [2/(N-1) + kurtosis/N], exactly.
#ifndef ATTNLAB_RANDOM_DOT_PRODUCT_THEORY_H_
#define ATTNLAB_RANDOM_DOT_PRODUCT_THEORY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "random/dot_product.h"

namespace attnlab {

struct DotProductTheory {
  double mean = 0.0;
  std::optional<double> variance{};  // absent for tied Student t with df <= 4: infinite
  std::optional<double> kurtosis{};  // excess kurtosis
  // True where the measured kurtosis may stand in for a missing one: it exists, without a formula.
  bool kurtosis_measurable = true;
  std::string reason{};  // why variance or kurtosis is absent; empty if neither is
};

DotProductTheory dot_product_theory(const DotProductSettings& settings);

// The standard error of the ddof-1 variance of `samples` >= 2 samples, from the theory's kurtosis
// or, where it has none but one exists, from the measured one; absent where it is infinite.
std::optional<double> variance_standard_error(const DotProductTheory& theory, std::int64_t samples,
                                              double measured_kurtosis);

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_DOT_PRODUCT_THEORY_H_
