#include "measure/least_squares.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace attnlab {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Takes `times` x direction off a vector.
void subtract(double times, std::span<const double> direction, std::span<double> from) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * direction[i];
}

// Scales a vector to length 1; returns the length it had.
double normalise(std::span<double> vector) {
  const double length = std::sqrt(dot(vector, vector));
  for (double& value : vector) value /= length;
  return length;
}

}  // namespace

std::optional<std::vector<double>> least_squares(std::vector<std::vector<double>> columns,
                                                 std::span<const double> y) {
  // Below this length what is left of a column is rounding: it depends on the others.
  constexpr double kLeast = 1e-10;
  const std::size_t unknowns = columns.size();
  if (y.size() < unknowns) return std::nullopt;
  std::vector<double> scales;
  for (auto& column : columns) scales.push_back(normalise(column));
  std::vector<std::vector<double>> upper(unknowns, std::vector<double>(unknowns));
  std::vector<double> rest(y.begin(), y.end()), x(unknowns);
  for (std::size_t i = 0; i < unknowns; ++i) {
    upper[i][i] = normalise(columns[i]);
    if (!(upper[i][i] > kLeast)) return std::nullopt;
    for (std::size_t j = i + 1; j < unknowns; ++j) {
      upper[i][j] = dot(columns[i], columns[j]);
      subtract(upper[i][j], columns[i], columns[j]);
    }
    x[i] = dot(columns[i], rest);
    subtract(x[i], columns[i], rest);
  }
  for (std::size_t i = unknowns; i-- > 0;) {
    for (std::size_t j = i + 1; j < unknowns; ++j) x[i] -= upper[i][j] * x[j];
    x[i] /= upper[i][i];
  }
  for (std::size_t i = 0; i < unknowns; ++i) x[i] /= scales[i];
  return x;
}

}  // namespace attnlab
