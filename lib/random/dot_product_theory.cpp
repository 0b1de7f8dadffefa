#include "random/dot_product_theory.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace attnlab {
namespace {

DotProductTheory tied_theory(const DotProductSettings& s, double d, double m4) {
  const double a2 = s.mean_q * s.mean_q;
  DotProductTheory out{.mean = d * (1.0 + a2)};
  if (std::isinf(m4)) {
    out.kurtosis_measurable = false;
    out.reason = "the square of a Student t component has no variance for df <= 4";
    return out;
  }
  out.variance = d * (4.0 * a2 + m4 - 1.0);
  if (s.law == Law::kStudentT && s.df <= 8.0) {  // its 8th moment
    out.kurtosis_measurable = false;
    out.reason = "the square of a Student t component has no fourth moment for df <= 8";
  } else {
    out.reason = "the kurtosis of q.q needs moments of the law up to the 8th, no formula is used";
  }
  return out;
}

}  // namespace

DotProductTheory dot_product_theory(const DotProductSettings& s) {
  ATTNLAB_CHECK(s.d >= 1 && (s.law != Law::kStudentT || s.df > 2.0));
  const double d = static_cast<double>(s.d), m4 = fourth_moment(s.law, s.df);
  if (s.tied) return tied_theory(s, d, m4);
  const double a2 = s.mean_q * s.mean_q, b2 = s.mean_k * s.mean_k, unit = 1.0 + a2 + b2;
  DotProductTheory out{.mean = d * s.mean_q * s.mean_k, .variance = d * unit};
  if (std::isinf(m4)) {
    out.kurtosis_measurable = false;
    out.reason = "Student's t has no fourth moment for df <= 4";
    return out;
  }
  const double e4 = m4 * (a2 * a2 + b2 * b2) + m4 * m4 + 6.0 * a2 * b2 + 6.0 * m4 * (a2 + b2);
  out.kurtosis = (e4 / (unit * unit) - 3.0) / d;
  return out;
}

std::optional<double> variance_standard_error(const DotProductTheory& theory, std::int64_t samples,
                                              double measured_kurtosis) {
  ATTNLAB_CHECK(samples >= 2);
  if (!theory.variance || (!theory.kurtosis && !theory.kurtosis_measurable)) return std::nullopt;
  const double n = static_cast<double>(samples);
  const double kurtosis = theory.kurtosis.value_or(measured_kurtosis);
  if (std::isnan(kurtosis)) return *theory.variance == 0.0 ? std::optional(0.0) : std::nullopt;
  return *theory.variance * std::sqrt(std::max(0.0, 2.0 / (n - 1.0) + kurtosis / n));
}

}  // namespace attnlab
