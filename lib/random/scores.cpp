#include "random/scores.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "random/mulberry32.h"

namespace attnlab {
namespace {

void draw_mulberry32(const ScoreSettings& s, std::int64_t first, std::span<double> scores) {
  const std::int64_t vectors = s.design == Design::kShared ? s.keys + 1 : 2 * s.keys;
  Mulberry32 source(
      s.seed, static_cast<std::uint64_t>(first) * 2 * static_cast<std::uint64_t>(vectors * s.d));
  std::vector<double> query(static_cast<std::size_t>(s.d));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0.0;
    if (s.design == Design::kFresh) {
      for (std::int64_t j = 0; j < s.d; ++j) {
        const double q = source.normal();
        sum += q * source.normal();
      }
    } else {
      if (i % static_cast<std::size_t>(s.keys) == 0) {
        for (double& q : query) q = source.normal();
      }
      for (const double q : query) sum += q * source.normal();
    }
    scores[i] = sum;
  }
}

}  // namespace

std::span<const std::string_view> choice_names(Design) {
  static constexpr std::string_view kNames[] = {"shared", "fresh"};
  return kNames;
}

void draw_scores(const ScoreSettings& s, std::int64_t first, std::span<double> scores, Isa isa) {
  ATTNLAB_CHECK(s.d >= 1 && s.keys >= 1 && first >= 0);
  ATTNLAB_CHECK(scores.size() % static_cast<std::size_t>(s.keys) == 0);
  if (s.rng == Rng::kMulberry32) {
    draw_mulberry32(s, first, scores);
    return;
  }
  // A score of the fresh design is a sample of q.k of its own.
  if (s.design == Design::kFresh) {
    draw_dot_products({.d = s.d, .seed = s.seed}, first * s.keys, scores, isa);
    return;
  }
  ScoreSettings one = s;  // a seed per trial makes scalar streams independent
  one.rng = Rng::kMulberry32;
  const auto keys = static_cast<std::size_t>(s.keys);
  for (std::size_t trial = 0; trial * keys < scores.size(); ++trial) {
    one.seed = (s.seed * 1000003 + static_cast<std::uint64_t>(first) + trial) * 2654435761u;
    draw_mulberry32(one, 0, scores.subspan(trial * keys, keys));
  }
}

}  // namespace attnlab
