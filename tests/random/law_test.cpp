// Each law as a whole: moments, distribution, tails, and independence between neighbours and
// streams. Seeds are fixed, so a check fails only when the numbers change; bounds are about 4.5
// standard errors.
#include "random/law.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "base/choice.h"
#include "random/fill.h"
#include "random/law_draw.h"
#include "random/mulberry32.h"
#include "support/catch.h"

namespace attnlab {
namespace {

using std::numbers::pi;
constexpr double kBound = 4.5;
constexpr double kDf = 18.0;  // even, so that the distribution has a closed form; 16 moments

// P(|x| > a).
double tail(Law law, double a) {
  switch (law) {
    case Law::kNormal:
      return std::erfc(a / std::sqrt(2.0));
    case Law::kUniform:
      return std::max(0.0, 1.0 - a / std::sqrt(3.0));
    case Law::kRademacher:
      return a < 1.0 ? 1.0 : 0.0;
    case Law::kLaplace:
      return std::exp(-a * std::sqrt(2.0));
    case Law::kLogistic:
      return 2.0 / (1.0 + std::exp(a * pi / std::sqrt(3.0)));
    case Law::kStudentT: {  // Abramowitz and Stegun 26.7.4
      const double theta = std::atan(a * std::sqrt(kDf / (kDf - 2.0)) / std::sqrt(kDf));
      const double cos2 = std::cos(theta) * std::cos(theta);
      double term = 1.0, sum = 1.0;
      for (int j = 1; j < static_cast<int>(kDf) / 2; ++j) {
        term *= cos2 * (2.0 * j - 1.0) / (2.0 * j);
        sum += term;
      }
      return 1.0 - std::sin(theta) * sum;
    }
  }
  return 0.0;
}

double distribution(Law law, double x) {
  const double beyond = 0.5 * tail(law, std::abs(x));
  return x > 0.0 ? 1.0 - beyond : beyond;
}

// E x^6 and E x^8, for the standard errors of measured moments.
double moment6(Law law) {
  switch (law) {
    case Law::kNormal:
      return 15.0;
    case Law::kUniform:
      return 27.0 / 7.0;
    case Law::kRademacher:
      return 1.0;
    case Law::kLaplace:
      return 90.0;
    case Law::kLogistic:
      return 279.0 / 7.0;
    case Law::kStudentT:
      return 15.0 * std::pow(kDf - 2.0, 2) / ((kDf - 4.0) * (kDf - 6.0));
  }
  return 0.0;
}

double moment8(Law law) {
  switch (law) {
    case Law::kNormal:
      return 105.0;
    case Law::kUniform:
      return 9.0;
    case Law::kRademacher:
      return 1.0;
    case Law::kLaplace:
      return 2520.0;
    case Law::kLogistic:
      return 3429.0 / 5.0;
    case Law::kStudentT:
      return 105.0 * std::pow(kDf - 2.0, 3) / ((kDf - 4.0) * (kDf - 6.0) * (kDf - 8.0));
  }
  return 0.0;
}

std::vector<float> values_of(Law law, std::size_t count, std::uint64_t seed = 2024,
                             std::uint64_t stream = 0) {
  std::vector<float> out(count);
  fill_random(out, {.law = law, .df = kDf, .seed = seed, .stream = stream});
  return out;
}

// z of the mean of a_i b_i with b shifted by lag, for functions of variance v each.
double correlation_z(const std::vector<float>& a, const std::vector<float>& b, std::size_t lag,
                     const std::function<double(double)>& f, double variance) {
  double sum = 0.0;
  const std::size_t n = a.size() - lag;
  for (std::size_t i = 0; i < n; ++i) sum += f(a[i]) * f(b[i + lag]);
  return sum / (variance * std::sqrt(static_cast<double>(n)));
}

}  // namespace

TEST_CASE("every law has the moments of theory up to the fourth", "[random]") {
  constexpr std::size_t kCount = 1 << 23;
  const double n = static_cast<double>(kCount);
  for (const Law law : kLaws) {
    CAPTURE(choice_name(law));
    double s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0;
    for (const double x : values_of(law, kCount)) {
      s1 += x;
      s2 += x * x;
      s3 += x * x * x;
      s4 += x * x * x * x;
    }
    const double m4 = fourth_moment(law, kDf), m6 = moment6(law), m8 = moment8(law);
    CHECK(std::abs(s1 / n) < kBound * std::sqrt(1.0 / n));
    CHECK(std::abs(s2 / n - 1.0) < kBound * std::sqrt((m4 - 1.0) / n) + 1e-7);
    CHECK(std::abs(s3 / n) < kBound * std::sqrt(m6 / n));
    CHECK(std::abs(s4 / n - m4) < kBound * std::sqrt((m8 - m4 * m4) / n) + 1e-6);
  }
}

TEST_CASE("every law has the distribution of theory (Kolmogorov and Smirnov)", "[random]") {
  constexpr std::size_t kCount = 1 << 21;
  const double n = static_cast<double>(kCount);
  for (const Law law : kLaws) {
    CAPTURE(choice_name(law));
    std::vector<float> values = values_of(law, kCount);
    if (law == Law::kRademacher) {  // two values: their shares are the distribution
      const auto plus = std::count(values.begin(), values.end(), 1.0f);
      CHECK(plus + std::count(values.begin(), values.end(), -1.0f) == kCount);
      CHECK(std::abs(static_cast<double>(plus) / n - 0.5) < kBound * 0.5 / std::sqrt(n));
      continue;
    }
    std::sort(values.begin(), values.end());
    double distance = 0.0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double f = distribution(law, values[i]);
      distance =
          std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
    }
    CHECK(distance * std::sqrt(n) < 1.95);  // exceeded once in a thousand
    CHECK(distance * std::sqrt(n) > 0.35);  // fallen short of once in a thousand
  }
}

TEST_CASE("tails beyond 5 standard deviations hold as many values as theory says", "[random]") {
  constexpr std::size_t kPart = 1 << 20, kParts = 96;
  const double n = static_cast<double>(kPart) * kParts;
  const double thresholds[] = {1.0, 3.0, 4.0, 5.0, 5.25, 6.0, 8.0, 10.0};
  for (const Law law : kLaws) {
    if (law == Law::kRademacher) continue;
    CAPTURE(choice_name(law));
    std::int64_t beyond[std::size(thresholds)][2] = {};
    std::vector<float> values(kPart);
    for (std::size_t part = 0; part < kParts; ++part) {
      fill_random(values, {.law = law, .df = kDf, .seed = 77},
                  static_cast<std::int64_t>(part * kPart));
      for (const float x : values) {
        if (std::abs(x) <= 1.0f) continue;
        for (std::size_t t = 0; t < std::size(thresholds); ++t) {
          if (std::abs(x) <= thresholds[t]) break;
          ++beyond[t][x > 0.0f];
        }
      }
    }
    for (std::size_t t = 0; t < std::size(thresholds); ++t) {
      const double expected = 0.5 * n * tail(law, thresholds[t]);
      for (const std::int64_t count : beyond[t]) {
        CAPTURE(thresholds[t], expected, count);
        // the square root of a Poisson number has a standard deviation near 1/2
        CHECK(std::abs(std::sqrt(static_cast<double>(count)) - std::sqrt(expected)) < 0.5 * kBound);
      }
    }
  }
}

// A pair of normals lies beyond radius r with probability exp(-r^2/2): farther out than one normal.
// A 24-bit uniform would end at 5.9 at the latest.
TEST_CASE("normals go on beyond 5.9 standard deviations", "[random]") {
  constexpr std::size_t kPart = 1 << 20, kParts = 512;
  const float thresholds[] = {5.0f, 5.5f, 5.8f, 5.9f};
  std::int64_t beyond[std::size(thresholds)] = {};
  std::vector<float> values(kPart);
  for (std::size_t part = 0; part < kParts; ++part) {
    fill_random(values, {.seed = 78}, static_cast<std::int64_t>(part * kPart));
    for (std::size_t i = 0; i < kPart; i += 2) {
      const float square = values[i] * values[i] + values[i + 1] * values[i + 1];
      if (square <= 25.0f) continue;
      for (std::size_t t = 0; t < std::size(thresholds); ++t) {
        beyond[t] += square > thresholds[t] * thresholds[t];
      }
    }
  }
  for (std::size_t t = 0; t < std::size(thresholds); ++t) {
    const double r = thresholds[t], expected = kPart * kParts / 2 * std::exp(-0.5 * r * r);
    CAPTURE(r, expected, beyond[t]);
    CHECK(std::abs(std::sqrt(static_cast<double>(beyond[t])) - std::sqrt(expected)) < 0.5 * kBound);
  }
}

TEST_CASE("neighbours in a stream are uncorrelated, and so are their squares", "[random]") {
  for (const Law law : kLaws) {
    CAPTURE(choice_name(law));
    const std::vector<float> values = values_of(law, 1 << 20);
    const double variance_of_square = fourth_moment(law, kDf) - 1.0;
    for (const std::size_t lag : {1, 2, 3, 4, 5, 8, 16, 32, 64}) {
      CAPTURE(lag);
      CHECK(std::abs(correlation_z(
                values, values, lag, [](double x) { return x; }, 1.0)) < kBound);
      if (law == Law::kRademacher) continue;  // squares are all 1
      CHECK(std::abs(correlation_z(
                values, values, lag, [](double x) { return x * x - 1.0; }, variance_of_square)) <
            kBound);
    }
  }
}

TEST_CASE("neighbouring streams and seeds are uncorrelated", "[random]") {
  for (const Law law : kLaws) {
    CAPTURE(choice_name(law));
    const std::vector<float> one = values_of(law, 1 << 20, 1, 0);
    const std::vector<float> others[] = {
        values_of(law, 1 << 20, 1, 1), values_of(law, 1 << 20, 2, 0),
        values_of(law, 1 << 20, 1, 1ull << 32), values_of(law, 1 << 20, 1ull << 32, 0)};
    for (const std::vector<float>& other : others) {
      for (const std::size_t lag : {0, 1, 4}) {
        CHECK(std::abs(correlation_z(
                  one, other, lag, [](double x) { return x; }, 1.0)) < kBound);
      }
    }
  }
}

TEST_CASE("mulberry32 draws every law with mean 0, variance 1 and its fourth moment", "[random]") {
  constexpr int kCount = 1 << 20;
  for (const Law law : kLaws) {
    CAPTURE(choice_name(law));
    Mulberry32 source(3);
    double s1 = 0.0, s2 = 0.0, s4 = 0.0;
    for (int i = 0; i < kCount; ++i) {
      const double x = draw(law, kDf, source);
      s1 += x;
      s2 += x * x;
      s4 += x * x * x * x;
    }
    const double m4 = fourth_moment(law, kDf), n = kCount;
    CHECK(std::abs(s1 / n) < kBound / std::sqrt(n));
    CHECK(std::abs(s2 / n - 1.0) < kBound * std::sqrt((m4 - 1.0) / n) + 1e-12);
    CHECK(std::abs(s4 / n - m4) < kBound * std::sqrt((moment8(law) - m4 * m4) / n) + 1e-12);
  }
}

TEST_CASE("mulberry32 starts at any place of its stream", "[random]") {
  Mulberry32 whole(5);
  for (int i = 0; i < 1000; ++i) whole.uniform();
  Mulberry32 rest(5, 1000);
  for (int i = 0; i < 10; ++i) CHECK(whole.uniform() == rest.uniform());
}

}  // namespace attnlab
