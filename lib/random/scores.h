// The scores q.k of one query row against its keys, trial after trial: what the entropy experiment
// looks at. Components are standard normal; scores are not scaled.
#ifndef ATTNLAB_RANDOM_SCORES_H_
#define ATTNLAB_RANDOM_SCORES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "random/dot_product.h"

namespace attnlab {

// kShared: one query against all keys, as in attention. kFresh: a new query for every key, as in
// the lesson's printed run; its scores are independent.
enum class Design { kShared, kFresh };
std::span<const std::string_view> choice_names(Design);  // shared, fresh

struct ScoreSettings {
  Design design = Design::kShared;
  std::int64_t d = 64;    // 1 .. 2^32
  std::int64_t keys = 8;  // >= 1
  Rng rng = Rng::kPhilox;
  std::uint64_t seed = 1;
};

// Fills scores [trials, keys] of trials first .. first + trials - 1; scores.size() is a multiple of
// keys. With mulberry32 trials follow one another in one stream; a fresh trial draws q_0, k_0,
// q_1, k_1, ... for each key, a shared one all of q and then each key.
void draw_scores(const ScoreSettings& settings, std::int64_t first, std::span<double> scores,
                 Isa isa = simd_isas().back());

// The same by Philox, keys apart: scores[key * stride + i] of trial first + i, for i < trials and
// on to a multiple of kMaxLanes (product_kernels.h), of which first and stride are multiples too.
// query is scratch. Stops early once the watch, if there is one, says stopped.
void draw_scores_by_key(const ScoreSettings& settings, std::int64_t first, std::int64_t trials,
                        std::int64_t stride, std::span<double> scores, std::vector<float>& query,
                        const Watch* watch, Isa isa);

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_SCORES_H_
