#include "attention/draws.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace attnlab {
namespace {

// A finaliser of 64 bits (Stafford 2011, variant 13), applied to a counter that is spread out.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint64_t word(std::uint64_t seed, std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return mix(mix(mix(mix(seed) ^ u(a)) ^ u(b)) ^ u(c));
}

// Standard normal number `index` of the seed (Box and Muller 1958).
double normal(std::uint64_t seed, std::int64_t index) {
  const auto unit = [&](std::int64_t part) {  // in (0, 1)
    return (static_cast<double>(word(seed, -1, index, part) >> 11) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(unit(0))) * std::cos(2 * std::numbers::pi * unit(1));
}

}  // namespace

std::int64_t draw_below(std::int64_t bound, std::uint64_t seed, std::int64_t head,
                        std::int64_t block, std::int64_t index) {
  ATTNLAB_CHECK(bound >= 1);
  const auto wide = static_cast<unsigned __int128>(word(seed, head, block, index));
  return static_cast<std::int64_t>((wide * static_cast<unsigned __int128>(bound)) >> 64);
}

void draw_directions(const Problem& problem, std::span<float> directions,
                     std::span<double> scratch) {
  const std::int64_t d = problem.head_dim;
  ATTNLAB_CHECK(static_cast<std::int64_t>(directions.size()) == problem.features * d);
  ATTNLAB_CHECK(static_cast<std::int64_t>(scratch.size()) == d * (d + 1));
  double* const length = scratch.data() + d * d;
  for (std::int64_t group = 0; group < problem.features; group += d) {
    // Rows are drawn, their lengths kept, and made orthogonal by Gram-Schmidt, each projection
    // taken out twice so that the result is orthogonal to rounding.
    for (std::int64_t r = 0; r < d; ++r) {
      double* const row = scratch.data() + r * d;
      double square = 0;
      for (std::int64_t c = 0; c < d; ++c) {
        row[c] = normal(problem.seed, (group + r) * d + c);
        square += row[c] * row[c];
      }
      length[r] = std::sqrt(square);
      for (std::int64_t twice = 0; twice < 2; ++twice) {
        for (std::int64_t other = 0; other < r; ++other) {
          const double* const unit = scratch.data() + other * d;
          double along = 0;
          for (std::int64_t c = 0; c < d; ++c) along += row[c] * unit[c];
          for (std::int64_t c = 0; c < d; ++c) row[c] -= along * unit[c];
        }
      }
      square = 0;
      for (std::int64_t c = 0; c < d; ++c) square += row[c] * row[c];
      const double inverse = 1 / std::sqrt(square);
      for (std::int64_t c = 0; c < d; ++c) row[c] *= inverse;
      if (group + r >= problem.features) break;
      for (std::int64_t c = 0; c < d; ++c) {
        directions[static_cast<std::size_t>((group + r) * d + c)] =
            static_cast<float>(row[c] * length[r]);
      }
    }
  }
}

}  // namespace attnlab
