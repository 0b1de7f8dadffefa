#include "attention/simd/row_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {

TEST_CASE("softmax of a row is accurate, and exact where it must be", "[attention]") {
  for (const std::int64_t n : {1, 2, 7, 16, 33}) {
    std::vector<float> row(static_cast<std::size_t>(padded(n)));
    double total = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      row[static_cast<std::size_t>(j)] = static_cast<float>(5 * normal(1, j));
      total += std::exp(static_cast<double>(row[static_cast<std::size_t>(j)]));
    }
    std::vector<float> weights = row;
    softmax_row(weights.data(), n, 1.44269504f, false);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double expected = std::exp(static_cast<double>(row[at])) / total;
      CHECK(std::abs(weights[at] - expected) <= 4e-6 * expected);
    }
    for (std::int64_t j = n; j < padded(n); ++j) CHECK(weights[static_cast<std::size_t>(j)] == 0);
  }
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> hidden(16, -inf);
  softmax_row(hidden.data(), 3, 1, false);
  CHECK(hidden == std::vector<float>(16, 0.0f));
}

TEST_CASE("weights below 2^-126 are exact zeros", "[attention]") {
  std::vector<float> row(16, 0.0f);
  row[1] = -125.5f;
  row[2] = -126.5f;
  row[3] = -1e38f;
  softmax_row(row.data(), 4, 1, false);
  CHECK(row[1] >= std::numeric_limits<float>::min());
  CHECK(row[2] == 0);
  CHECK(row[3] == 0);
}

TEST_CASE("gelu is accurate over its whole range", "[attention]") {
  double worst = 0;
  std::vector<float> x;
  for (int i = -12000; i <= 12000; ++i) x.push_back(static_cast<float>(i) / 1000);
  std::vector<float> y = x;
  gelu_row(y.data(), std::ssize(y));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = x[i] * std::erfc(-x[i] / std::sqrt(2.0)) / 2;
    if (exact != 0) worst = std::max(worst, std::abs(y[i] - exact) / std::abs(exact));
  }
  CHECK(worst < 8e-6);  // e^(-x^2/2) magnifies the rounding of x^2 at the far left
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> special = {inf, -inf, std::nanf(""), 0, 100, -100};
  gelu_row(special.data(), 6);
  CHECK(special[0] == inf);
  CHECK(special[1] == 0);
  CHECK(std::isnan(special[2]));
  CHECK(special[3] == 0);
  CHECK(special[4] == 100);
  CHECK(special[5] == 0);
}

TEST_CASE("a normalised row has mean 0 and variance 1 before gain and bias", "[attention]") {
  for (const std::int64_t n : {1, 5, 64, 129}) {
    std::vector<float> x, gain, bias;
    for (std::int64_t c = 0; c < n; ++c) {
      x.push_back(static_cast<float>(3 + 2 * normal(2, c)));
      gain.push_back(2);
      bias.push_back(1);
    }
    std::vector<float> y(x.size());
    layer_norm_row(x.data(), n, gain.data(), bias.data(), 1e-5f, y.data());
    double sum = 0, square = 0;
    for (const float value : y) {
      sum += (value - 1) / 2;
      square += (value - 1) / 2.0 * (value - 1) / 2.0;
    }
    CHECK(std::abs(sum / static_cast<double>(n)) < 1e-5);
    if (n > 1) CHECK(square / static_cast<double>(n) == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("a NaN or Inf in a row is found wherever it stands", "[attention]") {
  for (const std::int64_t n : {1, 7, 16, 35}) {
    std::vector<float> x(static_cast<std::size_t>(n), 1e38f);
    CHECK(!has_nonfinite(x.data(), n));
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        x[j] = bad;
        CHECK(has_nonfinite(x.data(), n));
        x[j] = 0;
      }
    }
  }
}

}  // namespace attnlab::test
