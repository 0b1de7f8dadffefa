// What the claims ask of a kernel: its output on given q, k, v, and the weights behind it, which
// are the output for values that are the unit vectors.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_KERNELS_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_KERNELS_H_

#include <cstdint>
#include <vector>

#include "experiments/verify_claim.h"

namespace attnlab {

// Standard normal numbers; streams of one seed are independent.
std::vector<float> normals(std::int64_t count, std::uint64_t seed, std::uint64_t stream);

// q [B, Hq, Nq, D], k [B, Hkv, Nk, D], v [B, Hkv, Nk, Dv], without gaps.
struct QueryKeyValue {
  std::vector<float> q, k, v;
};
QueryKeyValue random_operands(const Problem& problem, std::uint64_t seed);

// The output [B, Hq, Nq, Dv] of a kernel. Throws UserError when it does not support the problem.
std::vector<float> attend(const Kernel& kernel, const Problem& problem, const QueryKeyValue& x,
                          ThreadTeam& team);

// The weights [B, Hq, Nq, Nk] that it gives; head_dim_v of the problem is not looked at.
std::vector<float> weights_of(const Kernel& kernel, Problem problem, const std::vector<float>& q,
                              const std::vector<float>& k, ThreadTeam& team);

// Entropy in bits, largest weight and gradient scale max p(1-p) of every row of weights.
struct WeightStatistics {
  std::vector<double> entropy, max_weight, gradient_scale;
};
WeightStatistics statistics_of(const std::vector<float>& weights, std::int64_t keys);

// The mean of values and where it lies for all but one in 16,000 draws: four standard errors.
struct Mean {
  double value = 0;
  Interval interval{0, 0};
};
Mean mean_of(const std::vector<double>& values);

double largest_difference(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_KERNELS_H_
