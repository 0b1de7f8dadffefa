#include "random/dot_product_theory.h"

#include <cmath>

#include "support/catch.h"

namespace attnlab {

TEST_CASE("the kurtosis of q.k is that of the lesson's formula", "[random]") {
  CHECK(*dot_product_theory({.d = 4}).kurtosis == Approx(6.0 / 4.0));
  CHECK(*dot_product_theory({.mean_q = 1.0, .mean_k = 1.0, .d = 4}).kurtosis == Approx(5.0 / 6.0));
  CHECK(*dot_product_theory({.law = Law::kRademacher, .d = 1}).kurtosis == Approx(-2.0));
  CHECK(*dot_product_theory({.law = Law::kUniform, .d = 2}).kurtosis ==
        Approx((1.8 * 1.8 - 3.0) / 2.0));
  CHECK(*dot_product_theory({.law = Law::kLaplace, .d = 10}).kurtosis == Approx(3.3));
  CHECK(*dot_product_theory({.law = Law::kLogistic, .d = 1}).kurtosis == Approx(4.2 * 4.2 - 3.0));
  CHECK(*dot_product_theory({.law = Law::kStudentT, .df = 10.0, .d = 1}).kurtosis ==
        Approx(16.0 - 3.0));
}

TEST_CASE("means and ties change mean and variance as the lesson says", "[random]") {
  const DotProductTheory means = dot_product_theory({.mean_q = 2.0, .mean_k = -0.5, .d = 10});
  CHECK(means.mean == -10.0);
  CHECK(*means.variance == 10.0 * (1.0 + 4.0 + 0.25));
  const DotProductTheory tied = dot_product_theory({.tied = true, .d = 7});
  CHECK(tied.mean == 7.0);
  CHECK(*tied.variance == 14.0);
  CHECK(!tied.kurtosis);
  CHECK(!tied.reason.empty());
  const DotProductTheory shifted =
      dot_product_theory({.law = Law::kLaplace, .mean_q = 3.0, .tied = true, .d = 2});
  CHECK(shifted.mean == 20.0);
  CHECK(*shifted.variance == 2.0 * (4.0 * 9.0 + 6.0 - 1.0));
}

TEST_CASE("the standard error of a variance is exact, or measured, or absent", "[random]") {
  const DotProductTheory normal = dot_product_theory({.d = 64});
  CHECK(*variance_standard_error(normal, 40000, 99.0) ==
        Approx(64.0 * std::sqrt(2.0 / 39999.0 + 6.0 / 64.0 / 40000.0)));
  const DotProductTheory tied = dot_product_theory({.tied = true, .d = 64});
  CHECK(*variance_standard_error(tied, 100, 0.5) ==
        Approx(128.0 * std::sqrt(2.0 / 99.0 + 0.5 / 100.0)));

  const DotProductTheory heavy = dot_product_theory({.law = Law::kStudentT, .df = 4.0, .d = 64});
  CHECK(*heavy.variance == 64.0);
  CHECK(!heavy.kurtosis);
  CHECK(!heavy.reason.empty());
  CHECK(!variance_standard_error(heavy, 100, 1.0));
  const DotProductTheory square =
      dot_product_theory({.law = Law::kStudentT, .df = 4.0, .tied = true, .d = 64});
  CHECK(!square.variance);
  CHECK(!variance_standard_error(square, 100, 1.0));
  const DotProductTheory eighth =
      dot_product_theory({.law = Law::kStudentT, .df = 8.0, .tied = true, .d = 64});
  CHECK(eighth.variance);
  CHECK(!variance_standard_error(eighth, 100, 1.0));
  CHECK(variance_standard_error(dot_product_theory({.law = Law::kStudentT, .df = 4.01, .d = 64}),
                                100, 1.0));
}

TEST_CASE("a variance of zero has a standard error of zero", "[random]") {
  const DotProductTheory signs =
      dot_product_theory({.law = Law::kRademacher, .tied = true, .d = 5});
  CHECK(*signs.variance == 0.0);
  CHECK(*variance_standard_error(signs, 10, std::nan("")) == 0.0);
}

}  // namespace attnlab
