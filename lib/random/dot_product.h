// Samples of q.k, the product of a query and a key with d independent components each, and their
// moments: what the variance experiment measures.
//   Var(q.k) = d for independent, centred components of variance 1 (dot_product_theory.h).
#ifndef ATTNLAB_RANDOM_DOT_PRODUCT_H_
#define ATTNLAB_RANDOM_DOT_PRODUCT_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/watch.h"
#include "machine/isa.h"
#include "machine/thread_team.h"
#include "random/law.h"
#include "random/moments.h"

namespace attnlab {

// The generator: Philox4x32-10 (many numbers, fast), or the lesson's mulberry32 (its very table).
enum class Rng { kPhilox, kMulberry32 };
std::span<const std::string_view> choice_names(Rng);  // philox, mulberry32

struct DotProductSettings {
  Law law = Law::kNormal;
  double df = 10.0;                   // degrees of freedom of Student's t, above 2
  double mean_q = 0.0, mean_k = 0.0;  // added to each component
  bool tied = false;                  // k = q, with the mean mean_q
  std::int64_t d = 64;                // components, 1 .. 2^32
  Rng rng = Rng::kPhilox;
  std::uint64_t seed = 1;
};

// Draws samples first .. first + out.size() - 1 of q.k into out. With Philox each sample has its
// own counters; with mulberry32 samples follow one another in one stream, and in each the
// components q_0, k_0, q_1, k_1, ... do (tied: q_0, q_1, ...), summed in double in that order.
void draw_dot_products(const DotProductSettings& settings, std::int64_t first,
                       std::span<double> out, Isa isa = simd_isas().back());

// The moments of samples 0 .. samples - 1; the same bits for any size of the team, in memory that
// does not grow with the number of samples. Meaningless once the watch says stopped.
CentralMoments sample_dot_products(const DotProductSettings& settings, std::int64_t samples,
                                   ThreadTeam& team, Watch& watch, Isa isa = simd_isas().back());

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_DOT_PRODUCT_H_
