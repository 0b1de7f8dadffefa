#include "measure/fit.h"

#include <cmath>
#include <string>

#include "measure/least_squares.h"
#include "support/catch.h"
#include "synthetic.h"

using namespace attnlab;

namespace {

const Fit& fit_of(const std::vector<Fit>& fits, const std::string& model) {
  for (const Fit& fit : fits) {
    if (fit.model == model) return fit;
  }
  FAIL("no fit of " << model);
  std::abort();
}

bool warns(const Fit& fit, const std::string& word) {
  for (const std::string& warning : fit.warnings) {
    if (warning.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string preferred(const std::vector<SizedSamples>& sizes) {
  const std::vector<Fit> fits = fit_times(sizes, 1);
  const Fit* fit = preferred_fit(fits);
  return fit == nullptr ? "" : fit->model;
}

}  // namespace

TEST_CASE("least squares solve what can be solved", "[measure]") {
  const auto x = least_squares({{1, 1, 1, 1}, {1, 2, 3, 4}}, std::vector<double>{3, 5, 7, 9});
  REQUIRE(x);
  CHECK((*x)[0] == Approx(1));
  CHECK((*x)[1] == Approx(2));
  // The normal equations of (1, 0), (2, 1), (3, 5) by hand: slope 2.5, intercept -3.
  const auto line = least_squares({{1, 1, 1}, {1, 2, 3}}, std::vector<double>{0, 1, 5});
  CHECK((*line)[0] == Approx(-3));
  CHECK((*line)[1] == Approx(2.5));
  CHECK(!least_squares({{1, 1}, {2, 2}}, std::vector<double>{1, 2}));
  CHECK(!least_squares({{1}, {2}}, std::vector<double>{1}));
  // Columns 14 orders of magnitude apart.
  const auto far =
      least_squares({{1e-7, 4e-7, 9e-7}, {1e7, 1e7, 1e7}}, std::vector<double>{3, 6, 11});
  CHECK((*far)[0] == Approx(1e7));
  CHECK((*far)[1] == Approx(2e-7));
}

TEST_CASE("the coefficients of exact times come back", "[measure]") {
  const auto fits =
      fit_times(exact(kFiveSizes, [](double n) { return 3e-9 * n * n + 2e-7 * n + 5e-6; }), 1);
  const Fit& fit = fit_of(fits, "a n^2 + c n + b");
  CHECK(*fit.a == Approx(3e-9));
  CHECK(*fit.c == Approx(2e-7));
  CHECK(*fit.b == Approx(5e-6));
  CHECK(*fit.r2 == Approx(1));
  CHECK(fit.preferred);
  CHECK(!fit.exponent);
  CHECK(fit.warnings.empty());
  for (const double residual : fit.residuals) CHECK(std::abs(residual) < 1e-10);

  const auto power =
      fit_times(exact(kFiveSizes, [](double n) { return 2e-8 * std::pow(n, 1.5); }), 1);
  const Fit& law = fit_of(power, "a n^exponent");
  CHECK(*law.exponent == Approx(1.5));
  CHECK(*law.exponent_low == Approx(1.5));
  CHECK(*law.exponent_high == Approx(1.5));
  CHECK(*law.a == Approx(2e-8));
  CHECK((!law.b && !law.c));
  CHECK(law.preferred);
}

TEST_CASE("the squares of the relative errors are what is least", "[measure]") {
  // At their minimum the derivative by each coefficient is 0: sum of residual * n^power / t.
  std::mt19937_64 bits(29);
  const auto sizes = noisy(
      kFiveSizes, [](double n) { return 1e-9 * n * n + 1e-5; }, 0.2, bits);
  const std::vector<Fit> fits = fit_times(sizes, 1);
  const Fit& fit = fit_of(fits, "a n^2 + b");
  double by_a = 0, by_b = 0, scale_a = 0, scale_b = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double n = sizes[i].n, time = median(sizes[i].samples[0]);
    by_a += fit.residuals[i] * n * n / time;
    by_b += fit.residuals[i] / time;
    scale_a += n * n / time;
    scale_b += 1 / time;
  }
  CHECK(std::abs(by_a) < 1e-12 * scale_a);
  CHECK(std::abs(by_b) < 1e-12 * scale_b);
  CHECK(std::abs(fit.residuals[0]) > 1e-3);
}

TEST_CASE("the model that made the times is preferred", "[measure]") {
  std::mt19937_64 bits(5);
  const Law quadratic = [](double n) { return 1e-9 * n * n + 1e-5; };
  const Law with_linear = [](double n) { return 1e-9 * n * n + 1e-6 * n + 1e-5; };
  const Law linear = [](double n) { return 1e-7 * n + 1e-5; };
  const Law cubic = [](double n) { return 1e-11 * n * n * n + 1e-5; };
  const Law power = [](double n) { return 1e-8 * std::pow(n, 1.5); };
  const auto times_right = [&](const std::vector<double>& sizes, const Law& law, double noise,
                               const std::string& model) {
    int out = 0;
    for (int i = 0; i < 20; ++i) out += preferred(noisy(sizes, law, noise, bits, 1, 5)) == model;
    return out;
  };
  for (const auto& [noise, least] : {std::pair(0.0, 20), std::pair(0.02, 15)}) {
    CHECK(times_right(kFiveSizes, quadratic, noise, "a n^2 + b") >= least);
    CHECK(times_right(kEightSizes, with_linear, noise, "a n^2 + c n + b") >= least);
    CHECK(times_right(kFiveSizes, linear, noise, "c n + b") >= least);
    CHECK(times_right(kFiveSizes, cubic, noise, "a n^3 + b") >= least);
    CHECK(times_right(kFiveSizes, power, noise, "a n^exponent") >= least);
  }
}

TEST_CASE("a model that goes below 0 is not preferred", "[measure]") {
  // Of a multi-head module: linear at first, quadratic at the end. A line through the times misses
  // the last by half and has a negative intercept.
  std::vector<SizedSamples> sizes;
  const double times[] = {0.56e-3, 1.42e-3, 3.15e-3, 5.8e-3, 26e-3};
  for (std::size_t i = 0; i < 5; ++i) {
    sizes.push_back({kFiveSizes[i], {std::vector<double>(10, times[i])}});
  }
  const std::vector<Fit> fits = fit_times(sizes, 1);
  CHECK(*fit_of(fits, "c n + b").b < 0);
  CHECK(warns(fit_of(fits, "c n + b"), "negative intercept"));
  CHECK(!fit_of(fits, "c n + b").preferred);
  REQUIRE(preferred_fit(fits) != nullptr);
  CHECK(preferred_fit(fits)->b.value_or(0) >= 0);
}

TEST_CASE("cubic models are tried only where the time can be cubic", "[measure]") {
  const auto names = [](const Law& law) {
    std::string out;
    for (const Fit& fit : fit_times(exact(kFiveSizes, law), 1)) out += fit.model + "; ";
    return out;
  };
  CHECK(names([](double n) { return n * n; }).find("n^3") == std::string::npos);
  CHECK(names([](double n) { return n * n * n; }).find("a n^3 + c n^2 + b") != std::string::npos);
}

TEST_CASE("exponent intervals hold the truth about as often as they say", "[measure]") {
  std::mt19937_64 bits(3);
  int held = 0;
  constexpr int kSets = 120;
  for (int i = 0; i < kSets; ++i) {
    const auto fits = fit_times(noisy(
                                    kFiveSizes, [](double n) { return 1e-9 * n * n; }, 0.05, bits),
                                1);
    const Fit& fit = fit_of(fits, "a n^exponent");
    held += *fit.exponent_low <= 2 && 2 <= *fit.exponent_high;
  }
  CHECK(held >= 0.89 * kSets);
  CHECK(held < kSets);
}

TEST_CASE("few sizes and few samples are told", "[measure]") {
  const Law law = [](double n) { return 1e-9 * n * n + 1e-6; };
  CHECK(fit_times(exact({64}, law), 1).empty());
  CHECK(fit_times({}, 1).empty());
  const auto two = fit_times(exact({64, 128}, law), 1);
  CHECK(preferred_fit(two) == nullptr);
  for (const Fit& fit : two) CHECK(warns(fit, "only 2 sizes"));
  const auto three = fit_times(exact({64, 128, 256}, law), 1);
  CHECK(preferred_fit(three)->model == "a n^2 + b");
  CHECK(warns(*preferred_fit(three), "only 3 sizes"));
  CHECK(!warns(*preferred_fit(fit_times(exact({64, 128, 256, 512}, law), 1)), "sizes"));
  std::vector<SizedSamples> few = exact(kFiveSizes, law);
  few[2].samples = {{1e-4, 1.1e-4, 1.2e-4}};
  CHECK(!fit_of(fit_times(few, 1), "a n^exponent").exponent_low);
}

TEST_CASE("sizes are sorted, joined and left out where there is no time", "[measure]") {
  const Law law = [](double n) { return 1e-9 * n * n + 1e-6; };
  std::vector<SizedSamples> sizes = exact({512, 64, 256, 128, 64, 1024}, law);
  sizes.push_back({2048, {}});
  sizes.push_back({4096, {{0, 0, 0}}});
  const auto fits = fit_times(sizes, 1);
  CHECK(fits.front().residuals.size() == 5);
  CHECK(*fit_of(fits, "a n^2 + b").a == Approx(1e-9));
}

TEST_CASE("a negative intercept is warned of only where noise does not explain it", "[measure]") {
  std::mt19937_64 bits(11);
  const Law below = [](double n) { return 1e-9 * n * n - 2e-6; };
  const Law through_zero = [](double n) { return 1e-9 * n * n; };
  const auto quadratic = [&](const Law& law, double noise) {
    return fit_of(fit_times(noisy(kFiveSizes, law, noise, bits), 1), "a n^2 + b");
  };
  CHECK(warns(quadratic(below, 0), "negative intercept"));
  CHECK(warns(quadratic(below, 0.02), "negative intercept"));
  int warned = 0;
  for (int i = 0; i < 40; ++i) warned += warns(quadratic(through_zero, 0.02), "negative intercept");
  CHECK(warned <= 4);
  CHECK(!warns(quadratic(through_zero, 0), "negative intercept"));
}

TEST_CASE("residuals with a shape are warned of only where there is one", "[measure]") {
  std::mt19937_64 bits(13);
  const Law with_linear = [](double n) { return 1e-9 * n * n + 1e-6 * n + 1e-5; };
  const Law quadratic = [](double n) { return 1e-9 * n * n + 1e-5; };
  const auto shaped = [&](const Law& law, double noise) {
    return warns(fit_of(fit_times(noisy(kEightSizes, law, noise, bits), 1), "a n^2 + b"), "shape");
  };
  CHECK(shaped(with_linear, 0));
  CHECK(shaped(with_linear, 0.02));
  CHECK(!shaped(quadratic, 0));
  int warned = 0;
  for (int i = 0; i < 40; ++i) warned += shaped(quadratic, 0.02);
  CHECK(warned <= 2);
  const auto fits = fit_times(noisy(kEightSizes, with_linear, 0.01, bits), 1);
  CHECK(!warns(fit_of(fits, "a n^2 + c n + b"), "shape"));
  CHECK(warns(fit_of(fits, "a n^exponent"), "shape"));
}

TEST_CASE("local and overall exponents", "[measure]") {
  const std::vector<double> n{1, 2, 4}, y{3, 12, 24};
  const std::vector<double> local = local_exponents(n, y);
  REQUIRE(local.size() == 2);
  CHECK(local[0] == Approx(2));
  CHECK(local[1] == Approx(1));
  CHECK(*power_exponent(n, y) == Approx(1.5));
  CHECK(!power_exponent(std::vector<double>{2}, std::vector<double>{2}));
  CHECK(!power_exponent(n, std::vector<double>{0, 1, 2}));
}

TEST_CASE("every model form is found by its name", "[measure]") {
  for (const ModelForm& form : model_forms()) CHECK(find_model_form(form.name) == &form);
  CHECK(find_model_form("a n^4") == nullptr);
}
