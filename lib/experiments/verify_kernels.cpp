#include "experiments/verify_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "random/fill.h"

namespace attnlab {
namespace {

constexpr double kStandardErrors = 4;

std::vector<float> run(const Kernel& kernel, const Problem& problem, const ConstView& q,
                       const ConstView& k, const ConstView& v, ThreadTeam& team) {
  const Index4 shape{problem.batch, problem.heads, problem.nq, problem.head_dim_v};
  std::vector<float> out(static_cast<std::size_t>(element_count(shape)),
                         std::numeric_limits<float>::quiet_NaN());
  const PreparedKernel prepared(kernel, problem, team.threads());
  prepared.run({.q = q, .k = k, .v = v, .o = View(out.data(), shape)}, team);
  return out;
}

}  // namespace

std::vector<float> normals(std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<float> out(static_cast<std::size_t>(count));
  fill_random(out, {.seed = seed, .stream = stream});
  return out;
}

QueryKeyValue random_operands(const Problem& problem, std::uint64_t seed) {
  const auto of = [&](std::int64_t heads, std::int64_t n, std::int64_t d, std::uint64_t stream) {
    return normals(problem.batch * heads * n * d, seed, stream);
  };
  return {of(problem.heads, problem.nq, problem.head_dim, 0),
          of(problem.kv_heads, problem.nk, problem.head_dim, 1),
          of(problem.kv_heads, problem.nk, problem.head_dim_v, 2)};
}

std::vector<float> attend(const Kernel& kernel, const Problem& p, const QueryKeyValue& x,
                          ThreadTeam& team) {
  return run(kernel, p, ConstView(x.q.data(), {p.batch, p.heads, p.nq, p.head_dim}),
             ConstView(x.k.data(), {p.batch, p.kv_heads, p.nk, p.head_dim}),
             ConstView(x.v.data(), {p.batch, p.kv_heads, p.nk, p.head_dim_v}), team);
}

std::vector<float> weights_of(const Kernel& kernel, Problem p, const std::vector<float>& q,
                              const std::vector<float>& k, ThreadTeam& team) {
  p.head_dim_v = p.nk;
  std::vector<float> unit(static_cast<std::size_t>(p.nk * p.nk), 0.0f);
  for (std::int64_t i = 0; i < p.nk; ++i) unit[static_cast<std::size_t>(i * p.nk + i)] = 1.0f;
  // All heads share the unit vectors.
  const ConstView v(unit.data(), {p.batch, p.kv_heads, p.nk, p.nk}, {0, 0, p.nk, 1});
  return run(kernel, p, ConstView(q.data(), {p.batch, p.heads, p.nq, p.head_dim}),
             ConstView(k.data(), {p.batch, p.kv_heads, p.nk, p.head_dim}), v, team);
}

WeightStatistics statistics_of(const std::vector<float>& weights, std::int64_t keys) {
  WeightStatistics out;
  for (std::size_t row = 0; row < weights.size(); row += static_cast<std::size_t>(keys)) {
    double entropy = 0, largest = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      const double p = weights[row + static_cast<std::size_t>(j)];
      if (p > 0) entropy -= p * std::log2(p);
      largest = std::max(largest, p);
    }
    double sum = 0;
    bool is_left_out = false;  // the largest, once: 1 - p summed from the others
    for (std::int64_t j = 0; j < keys; ++j) {
      const double p = weights[row + static_cast<std::size_t>(j)];
      if (!is_left_out && p == largest) {
        is_left_out = true;
      } else {
        sum += p;
      }
    }
    out.entropy.push_back(entropy);
    out.max_weight.push_back(largest);
    out.gradient_scale.push_back(largest * sum);
  }
  return out;
}

Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  return {mean, {mean - kStandardErrors * error, mean + kStandardErrors * error}};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= out)) out = difference;  // a NaN stays
  }
  return out;
}

}  // namespace attnlab
