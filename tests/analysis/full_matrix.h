// Problems with their data, and what the definitions make of them with whole rows of weights: what
// streamed statistics are held against.
#ifndef ATTNLAB_TESTS_ANALYSIS_FULL_MATRIX_H_
#define ATTNLAB_TESTS_ANALYSIS_FULL_MATRIX_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/attention_statistics.h"
#include "random/fill.h"
#include "support/catch.h"

namespace attnlab::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

// q, k and the mask of a problem, standard normal until something else is put there.
struct Data {
  explicit Data(const Problem& p, std::uint64_t seed = 1) : problem(p) {
    q.resize(static_cast<std::size_t>(p.batch * p.heads * p.nq * p.head_dim));
    k.resize(static_cast<std::size_t>(p.batch * p.kv_heads * p.nk * p.head_dim));
    fill_random(q, {.seed = seed, .stream = 0});
    fill_random(k, {.seed = seed, .stream = 1});
    const MaskShape& shape = p.mask;
    const Index4 sizes{shape.per_batch ? p.batch : 1, shape.per_head ? p.heads : 1,
                       shape.per_query ? p.nq : 1, p.nk};
    mask_stride = row_major_strides(sizes);
    for (int axis = 0; axis < 3; ++axis) {
      if (sizes[static_cast<std::size_t>(axis)] == 1)
        mask_stride[static_cast<std::size_t>(axis)] = 0;
    }
    additive.assign(static_cast<std::size_t>(element_count(sizes)), 0);
    boolean.assign(additive.size(), 1);
  }
  void scale_queries(float factor) {
    for (float& x : q) x *= factor;
  }
  Operands operands() const {
    Operands out;
    out.q = ConstView(q.data(), {problem.batch, problem.heads, problem.nq, problem.head_dim});
    out.k = ConstView(k.data(), {problem.batch, problem.kv_heads, problem.nk, problem.head_dim});
    out.mask.kind = problem.mask.kind;
    if (problem.mask.kind == MaskKind::kBoolean) out.mask.data = boolean.data();
    if (problem.mask.kind == MaskKind::kAdditive) out.mask.data = additive.data();
    if (problem.mask.kind != MaskKind::kNone) out.mask.stride = mask_stride;
    return out;
  }

  Problem problem;
  std::vector<float> q, k, additive;
  std::vector<std::uint8_t> boolean;
  Index4 mask_stride{};
};

// The definitions once more, in the arithmetic of T, with whole rows of weights.
template <class T>
struct FullRow {
  double largest = kNan, smallest = kNan, unscaled = 0, denominator = 0, entropy = 0,
         max_weight = 0, gradient_scale = 0, first_weight = kNan;
  std::int64_t visible = 0, zeros = 0;
};
template <class T>
FullRow<T> full_row(const Data& data, Operator op, std::int64_t b, std::int64_t h, std::int64_t i) {
  const Problem& p = data.problem;
  const Operands x = data.operands();
  std::vector<T> logits;
  std::vector<std::int64_t> keys;
  FullRow<T> out;
  for (std::int64_t j = 0; j < p.nk; ++j) {
    const std::int64_t position = i + p.shift();
    if (p.causal != Causal::kNone && j > position) continue;
    if (op == Operator::kWindow && std::abs(j - position) >= p.window) continue;
    if (x.mask.hides(b, h, i, j)) continue;
    T product = 0;
    for (std::int64_t c = 0; c < p.head_dim; ++c) {
      product += static_cast<T>(x.q.at(b, h, i, c)) * static_cast<T>(x.k.at(b, p.kv_head(h), j, c));
    }
    const T logit =
        static_cast<T>(p.effective_scale()) * product + static_cast<T>(x.mask.bias(b, h, i, j));
    if (std::isinf(logit) && logit < 0) continue;
    logits.push_back(logit);
    keys.push_back(j);
    out.unscaled = std::max(out.unscaled, static_cast<double>(std::abs(product)));
  }
  out.visible = static_cast<std::int64_t>(keys.size());
  if (keys.empty()) return out;
  T largest = logits[0], smallest = logits[0];
  for (const T logit : logits) {
    largest = std::max(largest, logit);
    smallest = std::min(smallest, logit);
  }
  std::vector<T> weights;
  T sum = 0;
  for (const T logit : logits) {
    weights.push_back(p.temperature == 0
                          ? static_cast<T>(logit == largest)
                          : std::exp((logit - largest) / static_cast<T>(p.temperature)));
    sum += weights.back();
  }
  out.largest = static_cast<double>(largest);
  out.smallest = static_cast<double>(smallest);
  out.denominator = static_cast<double>(sum);
  T entropy = 0;
  for (std::size_t a = 0; a < keys.size(); ++a) {
    const T weight = weights[a] / sum;
    if (weight > 0) entropy -= weight * std::log2(weight);
    T others = 0;
    for (std::size_t c = 0; c < keys.size(); ++c) others += c == a ? 0 : weights[c] / sum;
    out.gradient_scale = std::max(out.gradient_scale, static_cast<double>(weight * others));
    out.max_weight = std::max(out.max_weight, static_cast<double>(weight));
    out.zeros += static_cast<double>(weight) < 0x1p-149;
    if (keys[a] == 0) out.first_weight = static_cast<double>(weight);
  }
  out.entropy = static_cast<double>(entropy);
  return out;
}

// Every number of the statistics held against the definitions in float64: within 1e-5 relative plus
// 1e-6 absolute where no |logit| is above 30, beyond that within twice what float32 loses.
inline void compare(const Data& data, Operator op, const AttentionStatistics& found) {
  const Problem& p = data.problem;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads; ++h) {
      std::int64_t zeros = 0, float_zeros = 0, visible = 0;
      for (std::int64_t i = 0; i < p.nq; ++i) {
        const AttentionRow& row =
            found.rows[static_cast<std::size_t>((b * p.heads + h) * p.nq + i)];
        const auto exact = full_row<double>(data, op, b, h, i);
        const auto rounded = full_row<float>(data, op, b, h, i);
        INFO("batch " << b << " head " << h << " query " << i);
        REQUIRE(row.visible == exact.visible);
        zeros += exact.zeros;
        float_zeros += rounded.zeros;
        visible += exact.visible;
        if (exact.visible == 0) continue;
        const bool is_small = std::max(std::abs(exact.largest), std::abs(exact.smallest)) <= 30;
        const auto near = [&](const char* name, double value, double truth, double float_value) {
          const double strict = 1e-5 * std::abs(truth) + 1e-6;
          const double allowed =
              is_small ? strict : std::max(strict, 2 * std::abs(float_value - truth));
          INFO(name << ": " << value << ", exactly " << truth << ", in float32 " << float_value);
          if (std::isnan(truth)) {
            REQUIRE(std::isnan(value));
          } else {
            REQUIRE(std::abs(value - truth) <= allowed);
          }
        };
        near("largest", row.largest, exact.largest, rounded.largest);
        near("smallest", row.smallest, exact.smallest, rounded.smallest);
        near("unscaled", row.unscaled, exact.unscaled, rounded.unscaled);
        near("denominator", row.denominator, exact.denominator, rounded.denominator);
        near("entropy", row.entropy, exact.entropy, rounded.entropy);
        near("max_weight", row.max_weight, exact.max_weight, rounded.max_weight);
        near("gradient_scale", row.gradient_scale, exact.gradient_scale, rounded.gradient_scale);
        near("first_weight", row.first_weight, exact.first_weight, rounded.first_weight);
      }
      const double share = static_cast<double>(visible);
      const double count =
          static_cast<double>(found.zeros[static_cast<std::size_t>(b * p.heads + h)]);
      const double allowed = std::max(1e-5 * static_cast<double>(zeros) + 1e-6 * share,
                                      2.0 * std::abs(static_cast<double>(float_zeros - zeros)));
      INFO("zeros " << count << ", exactly " << zeros << ", in float32 " << float_zeros);
      REQUIRE(std::abs(count - static_cast<double>(zeros)) <= allowed);
    }
  }
}

}  // namespace attnlab::test

#endif  // ATTNLAB_TESTS_ANALYSIS_FULL_MATRIX_H_
