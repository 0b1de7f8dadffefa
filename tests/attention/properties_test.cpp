// What is true of attention whatever the numbers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/reference.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

using Doubles = std::vector<double>;

Doubles normals(std::uint64_t seed, std::int64_t count) {
  Doubles out(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = normal(seed, i);
  return out;
}

// Reference output [n, d] of one head of float64 rows, in the order of the three permutations.
Doubles reference(const Doubles& q, const Doubles& k, const Doubles& v, std::int64_t n,
                  std::int64_t d) {
  const Problem p = self_attention(1, 1, n, d);
  const Index4 shape{1, 1, n, d};
  Doubles out(q.size());
  ThreadTeam team(1);
  Operands operands;
  operands.q = ConstView(q.data(), shape);
  operands.k = ConstView(k.data(), shape);
  operands.v = ConstView(v.data(), shape);
  reference_rows(p, Operator::kDense, operands, all_rows(p), View(out.data(), shape), team);
  return out;
}

template <class T>
std::vector<T> rows_in_order(const std::vector<T>& rows, const std::vector<std::size_t>& order,
                             std::size_t d) {
  std::vector<T> out;
  for (const std::size_t row : order) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row * d);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(d));
  }
  return out;
}

std::vector<std::size_t> shuffled(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) {
    return normal(77, static_cast<std::int64_t>(a)) < normal(77, static_cast<std::int64_t>(b));
  });
  return order;
}

}  // namespace

TEST_CASE("permuting the tokens permutes the output", "[attention]") {
  const std::int64_t n = 33, d = 16;
  const Doubles q = normals(1, n * d), k = normals(2, n * d), v = normals(3, n * d);
  const auto order = shuffled(n);
  const auto permuted = [&](const Doubles& x) { return rows_in_order(x, order, d); };
  const Doubles plain = permuted(reference(q, k, v, n, d));
  const Doubles all = reference(permuted(q), permuted(k), permuted(v), n, d);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    largest = std::max(largest, std::abs(plain[i]));
    difference = std::max(difference, std::abs(plain[i] - all[i]));
  }
  CHECK(difference <= 1e-14 * largest);
  CHECK(difference > 0);                               // sums in another order do round otherwise
  CHECK(reference(permuted(q), k, v, n, d) == plain);  // queries alone: the very bits
}

TEST_CASE("permuting the queries alone permutes the bits of every dense kernel", "[attention]") {
  ThreadTeam team(2);
  const Problem p = self_attention(1, 1, 129, 72);
  const Case c(p);
  Case other(p);
  const auto order = shuffled(129);
  other.q.fill([&](std::int64_t i) {
    return c.q.view().at(0, 0, static_cast<std::int64_t>(order[static_cast<std::size_t>(i / 72)]),
                         i % 72);
  });
  for (const Kernel* kernel : runnable_kernels()) {
    if (!kernel->supports(p, nullptr)) continue;
    // BLAS promises no such thing.
    if (kernel->op != Operator::kDense || kernel->isa == Isa::kBlas) continue;
    INFO(label(*kernel));
    CHECK(same_bits(rows_in_order(run(*kernel, c, team), order, 72), run(*kernel, other, team)));
  }
}

TEST_CASE("weights sum to one", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 2, 129, 64);
  p.window = 30;
  p.features = 32;
  Case c(p);
  c.v.fill([](std::int64_t) { return 1; });
  for (const Operator op : kOperators) {
    double off = 0;
    for (const double x : expected_output(c, op).values) off = std::max(off, std::abs(x - 1));
    CHECK(off < 1e-13);
  }
  for (const Kernel* kernel : runnable_kernels()) {
    if (!kernel->supports(p, nullptr)) continue;
    INFO(label(*kernel));
    float off = 0;
    for (const float x : run(*kernel, c, team)) off = std::max(off, std::abs(x - 1));
    CHECK(off < 2e-6f);
  }
}

TEST_CASE("adding a constant to all scores changes nothing", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 2, 65, 16);
  p.window = 30;
  p.stride = 8;
  const Case plain(p);
  p.mask = {MaskKind::kAdditive, false, false, false};
  Case shifted(p);
  std::fill_n(shifted.mask_memory.as<float>(), 65, 3.5f);
  for (const Kernel* kernel : runnable_kernels()) {
    if (!kernel->supports(p, nullptr)) continue;
    INFO(label(*kernel));
    const Expected without = expected_output(plain, kernel->op);
    CHECK(max_difference(expected_output(shifted, kernel->op).view, without.view) < 1e-14);
    Expected expected = expected_output(shifted, kernel->op);
    expected.values = without.values;
    expected.view = ConstView(expected.values.data(), without.view.shape);
    CHECK(run_and_compare(*kernel, shifted, expected, team) == "");
  }
}

TEST_CASE("patterns that reach every key are dense attention", "[attention]") {
  ThreadTeam team(2);
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    Problem p = self_attention(1, 2, 200, 24);
    p.nq = 150;
    p.causal = causal;
    p.window = 200;
    p.stride = 200;
    const Case c(p);
    const Expected dense = expected_output(c, Operator::kDense);
    for (const Kernel* kernel : runnable_kernels()) {
      if (!has_softmax(kernel->op) || !kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel) << " " << causal_name(causal));
      CHECK(run_and_compare(*kernel, c, dense, team) == "");
    }
  }
}

TEST_CASE("grouped heads are heads whose keys are repeated", "[attention]") {
  ThreadTeam team(2);
  for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
    Problem p = self_attention(1, 6, 70, 24);
    p.kv_heads = 2;
    p.causal = causal;
    p.window = 20;
    p.stride = 8;
    p.features = 16;
    const Case grouped(p);
    p.kv_heads = 6;
    Case repeated(p);
    const auto repeat = [](const GuardedTensor& from, GuardedTensor& to) {
      to.fill([&](std::int64_t i) {
        return from.view().at(0, i / (70 * 24) / 3, i / 24 % 70, i % 24);
      });
    };
    repeat(grouped.k, repeated.k);
    repeat(grouped.v, repeated.v);
    for (const Kernel* kernel : runnable_kernels()) {
      if (!kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel) << " " << causal_name(causal));
      CHECK(same_bits(run(*kernel, grouped, team), run(*kernel, repeated, team)));
    }
  }
}

TEST_CASE("linear attention is its quadratic form", "[attention]") {
  // One head, written out: o_i = sum_j w_ij v_j / sum_j w_ij, w_ij = phi(q_i) . phi(k_j).
  ThreadTeam team(2);
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft}) {
    Problem p = self_attention(1, 1, 700, 12);
    p.causal = causal;
    const Case c(p);
    const auto phi = [](double x) { return x > 0 ? x + 1 : std::exp(x); };
    Expected expected;
    for (std::int64_t i = 0; i < 700; ++i) {
      Doubles sum(12);
      double total = 0;
      for (std::int64_t j = 0; j < (causal == Causal::kNone ? 700 : i + 1); ++j) {
        double weight = 0;
        for (std::int64_t x = 0; x < 12; ++x) {
          weight += phi(c.q.view().at(0, 0, i, x)) * phi(c.k.view().at(0, 0, j, x));
        }
        total += weight;
        for (std::int64_t x = 0; x < 12; ++x) {
          sum[static_cast<std::size_t>(x)] += weight * c.v.view().at(0, 0, j, x);
        }
      }
      for (const double x : sum) expected.values.push_back(x / total);
    }
    expected.view = ConstView(expected.values.data(), {1, 1, 700, 12});
    expected.textbook_error = 0;  // the floor of error_ratio alone
    for (const Kernel* kernel : runnable_kernels()) {
      if (kernel->op != Operator::kLinear) continue;
      INFO(label(*kernel));
      CHECK(run_and_compare(*kernel, c, expected, team) == "");
    }
  }
}

TEST_CASE("performer's mean squared error falls as one over the number of features",
          "[attention]") {
  ThreadTeam team(2);
  const std::vector<std::int64_t> features = {16, 64, 256, 1024};
  std::vector<double> logs;
  for (const std::int64_t m : features) {
    double squares = 0;
    std::int64_t count = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Problem p = self_attention(1, 1, 64, 16);
      p.features = m;
      p.seed = seed;
      const Case c(p, Layout::kBhnd, seed, 0.5);  // components of standard deviation 0.5
      const Expected dense = expected_output(c, Operator::kDense);
      const auto out = run(*find_kernel("performer"), c, team);
      for (std::size_t i = 0; i < out.size(); ++i) {
        squares += (out[i] - dense.values[i]) * (out[i] - dense.values[i]);
        ++count;
      }
    }
    logs.push_back(std::log(squares / static_cast<double>(count)));
  }
  CAPTURE(logs);
  for (std::size_t i = 1; i < logs.size(); ++i) {
    const double slope = (logs[i] - logs[i - 1]) / std::log(4.0);
    CHECK(slope < -0.8);
    CHECK(slope > -1.25);
  }
}

}  // namespace attnlab::test
