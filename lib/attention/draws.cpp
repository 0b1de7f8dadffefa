#include "attention/draws.h"

#include <cmath>
#include <numbers>

#include "base/check.h"
#include "random/philox.h"
#include "random/streams.h"

namespace attnlab {
namespace {

std::uint64_t word(Philox::Key key, std::int64_t index) {
  const auto at = static_cast<std::uint64_t>(index);
  const Philox::Block block = Philox::block(
      {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), 0, 0}, key);
  return block[0] | static_cast<std::uint64_t>(block[1]) << 32;
}

// Standard normal number `index` of a key (Box and Muller 1958).
double normal(Philox::Key key, std::int64_t index) {
  const auto unit = [&](std::int64_t part) {  // in (0, 1)
    return (static_cast<double>(word(key, 2 * index + part) >> 11) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(unit(0))) * std::cos(2 * std::numbers::pi * unit(1));
}

}  // namespace

std::int64_t draw_below(std::int64_t bound, std::uint64_t seed, std::int64_t head,
                        std::int64_t block, std::int64_t index) {
  ATTNLAB_CHECK(bound >= 1);
  const Philox::Keys keys =
      stream_keys(seed, Stream::kRandomBlocks, static_cast<std::uint32_t>(head),
                  static_cast<std::uint64_t>(block));
  const auto wide = static_cast<unsigned __int128>(word(keys.round[0], index));
  return static_cast<std::int64_t>((wide * static_cast<unsigned __int128>(bound)) >> 64);
}

void draw_directions(const Problem& problem, std::span<float> directions,
                     std::span<double> scratch) {
  const std::int64_t d = problem.head_dim;
  ATTNLAB_CHECK(static_cast<std::int64_t>(directions.size()) == problem.features * d);
  ATTNLAB_CHECK(static_cast<std::int64_t>(scratch.size()) == d * (d + 1));
  double* const length = scratch.data() + d * d;
  const Philox::Key key = stream_keys(problem.seed, Stream::kDirections, 0, 0).round[0];
  for (std::int64_t group = 0; group < problem.features; group += d) {
    // Rows are drawn, their lengths kept, and made orthogonal by Gram-Schmidt, each projection
    // taken out twice so that the result is orthogonal to rounding.
    for (std::int64_t r = 0; r < d; ++r) {
      double* const row = scratch.data() + r * d;
      double square = 0;
      for (std::int64_t c = 0; c < d; ++c) {
        row[c] = normal(key, (group + r) * d + c);
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
