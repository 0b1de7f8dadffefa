#include "tensor/quantized.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

struct Quantized {
  explicit Quantized(const std::vector<float>& row) : values(row.size()) {
    scale = quantize_row(row.data(), std::ssize(row), values.data());
  }
  float operator[](std::size_t i) const { return scale * static_cast<float>(values[i]); }
  std::vector<std::int8_t> values;
  float scale = 0;
};

}  // namespace

TEST_CASE("a quantized row is off by half its scale at most", "[tensor]") {
  for (const float size : {1e-35f, 1e-3f, 1.0f, 3e38f}) {
    std::vector<float> row;
    for (int i = 0; i <= 1000; ++i) row.push_back(size * std::sin(0.37f * static_cast<float>(i)));
    row.push_back(-size);
    const Quantized q(row);
    CHECK(q.scale == size / 127);
    CHECK(q.values.back() == -127);
    float worst = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      worst = std::max(worst, std::abs(row[i] - q[i]) / size);
    }
    CHECK(worst <= 1.0f / 254 * (1 + 1e-5f));
    CHECK(worst > 0.9f / 254);  // the bound is near
  }
}

TEST_CASE("quantizing rounds to nearest, ties to even", "[tensor]") {
  const Quantized q({127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.75f, -126.25f});
  CHECK(q.scale == 1);
  CHECK(q.values == std::vector<std::int8_t>{127, 0, 2, 2, 0, -2, 1, -126});
}

TEST_CASE("rows without numbers to scale by have a scale that says so", "[tensor]") {
  CHECK(Quantized({0, -0.0f, 0}).scale == 0);
  CHECK(Quantized({1e-39f, -1e-37f}).scale == 0);  // a denormal scale would be flushed
  CHECK(Quantized({1e-39f, -1e-37f}).values[1] == 0);
  const float inf = std::numeric_limits<float>::infinity();
  for (const float bad : {std::nanf(""), inf, -inf}) {
    const Quantized q({1, bad, 2});
    CHECK(std::isnan(q[0]));  // no scale fits the row: all of it is NaN
    CHECK(std::isnan(q[1]));
  }
}

TEST_CASE("scales are found by batch, head and token", "[tensor]") {
  const Index4 shape{2, 3, 4, 8};
  std::vector<float> data(24);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const RowScales scales = row_scales(data.data(), shape);
  CHECK(scales.at(1, 2, 3) == 23);
  CHECK(scales.from(2).at(0, 1, 1) == 7);
  CHECK(scales.row(1, 1)[2] == 18);
  CHECK(RowScales().at(1, 2, 3) == 1);
}

}  // namespace attnlab
