#include "app/time_left.h"

#include <algorithm>
#include <cmath>

#include "support/catch.h"

using namespace attnlab;

namespace {

// Runs through a grid whose points really take `real` seconds and returns the worst ratio of told
// to true time left, after the first tenth of the time.
double worst_ratio(const std::vector<std::vector<double>>& estimates,
                   const std::vector<std::vector<double>>& real) {
  double total = 0;
  for (const auto& experiment : real) {
    for (const double seconds : experiment) total += seconds;
  }
  TimeLeft left(estimates);
  double now = 0, worst = 1;
  for (std::size_t e = 0; e < real.size(); ++e) {
    for (std::size_t i = 0; i < real[e].size(); ++i) {
      const auto told = left.left(e, estimates[e][i], 0, 0);
      const double truth = total - now;
      if (now > 0.1 * total && truth > 1) {
        REQUIRE(told);
        worst = std::max({worst, *told / truth, truth / *told});
      }
      now += real[e][i];
      left.finished(e, estimates[e][i], real[e][i]);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("nothing is told before anything is known", "[app]") {
  const TimeLeft left({{1, 1}});
  REQUIRE_FALSE(left.left(0, 1, 0, 10));
}

TEST_CASE("an estimate that is wrong by any factor is corrected", "[app]") {
  std::vector<double> estimates, real;
  for (int n = 1; n <= 100; ++n) {
    estimates.push_back(1e-6 * n * n);
    real.push_back(0.01 * n * n);
  }
  REQUIRE(worst_ratio({estimates}, {real}) < 1.01);
}

TEST_CASE("an estimate of the wrong power is corrected as the run goes on", "[app]") {
  std::vector<double> linear, real;
  for (int n = 1; n <= 60; ++n) {
    linear.push_back(1e-3 * n);
    real.push_back(0.02 * std::pow(n, 1.5));
  }
  REQUIRE(worst_ratio({linear}, {real}) < 2);
}

TEST_CASE("points without an estimate count alike", "[app]") {
  const std::vector<double> none(1000, 0.0), real(1000, 0.02);
  REQUIRE(worst_ratio({none}, {real}) < 1.01);
}

TEST_CASE("the running point tells how far it is", "[app]") {
  TimeLeft left({{1, 1, 1, 1}});
  REQUIRE(*left.left(0, 1, 0.5, 10) == Approx(70).epsilon(1e-3));
  left.finished(0, 1, 20);
  REQUIRE(*left.left(0, 1, 0.1, 2) == Approx(58).epsilon(1e-2));
  left.skipped(0, 1);
  REQUIRE(*left.left(0, 1, 0, 0) == Approx(40).epsilon(1e-3));
}
