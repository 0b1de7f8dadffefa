// Hidden keys, NaN and Inf, large scores, denormals, temperature 0: for every kernel of this
// machine.
#include <cmath>
#include <limits>

#include "attention/pattern.h"
#include "attention/reference.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A small problem of every operator whose patterns hide something.
Problem sparse(std::int64_t n, std::int64_t d) {
  Problem p = self_attention(1, 2, n, d);
  p.window = 20;
  p.global_tokens = 2;
  p.stride = 9;
  p.random_blocks = 1;
  p.features = 24;
  return p;
}

// Calls body for each kernel that supports the problem.
template <class Body>
void for_each_kernel(const Problem& problem, Body&& body) {
  for (const Kernel* kernel : tested_kernels()) {
    if (!kernel->supports(problem, nullptr)) continue;
    INFO(label(*kernel) << ": " << describe(problem));
    body(*kernel);
  }
}

std::vector<Problem> variants(Problem p) {
  std::vector<Problem> out;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
    for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
      p.dtype = dtype;
      p.causal = causal;
      out.push_back(p);
    }
  }
  return out;
}

// Holds every kernel against the reference on these data.
void check_all(const Case& c, ThreadTeam& team) {
  for_each_kernel(c.problem, [&](const Kernel& kernel) {
    CHECK(run_and_compare(kernel, c, expected_output(c, kernel.op, kernel.products), team) == "");
  });
}

}  // namespace

TEST_CASE("a row whose keys are all hidden is exact zeros, and counted", "[attention]") {
  ThreadTeam team(2);
  Problem p = sparse(65, 5);
  p.nk = 40;
  p.causal = Causal::kBottomRight;  // the first 25 queries stand before the first key
  const Case c(p);
  CHECK(masked_rows(p, Operator::kDense, {}) == 2 * 25);
  for_each_kernel(p, [&](const Kernel& kernel) {
    CHECK(masked_rows(p, kernel.op, {}) == 2 * 25);
    const auto out = run(kernel, c, team);
    bool zeros = true, others = true;
    for (std::int64_t i = 0; i < 65; ++i) {
      for (std::int64_t x = 0; x < 5; ++x) {
        const float value = out[static_cast<std::size_t>(i * 5 + x)];
        (i < 25 ? zeros : others) &= i < 25 ? value == 0 && !std::signbit(value) : value != 0;
      }
    }
    CHECK(zeros);
    CHECK(others);
  });
}

TEST_CASE("masked rows are counted under masks of every shape", "[attention]") {
  Problem p = self_attention(2, 3, 4, 1);
  p.mask = {MaskKind::kBoolean, true, true, true};
  Case c(p);  // the second query of the last head sees nothing; others see a key with odds 80 : 1
  std::int64_t expected = 0;
  for (int b = 0; b < 2; ++b) {
    for (int h = 0; h < 3; ++h) {
      for (int i = 0; i < 4; ++i) {
        bool seen = false;
        for (int j = 0; j < 4; ++j) seen = seen || !c.mask.hides(b, h, i, j);
        expected += !seen;
      }
    }
  }
  CHECK(expected >= 2);
  CHECK(masked_rows(p, Operator::kDense, c.mask) == expected);
  const std::uint8_t nothing[4] = {};
  p.mask = {MaskKind::kBoolean, false, false, false};
  CHECK(masked_rows(p, Operator::kLinear, {MaskKind::kBoolean, nothing, {0, 0, 0, 1}}) == 24);
}

TEST_CASE("NaN and Inf in hidden keys and values do not leak", "[attention]") {
  ThreadTeam team(2);
  for (const double poison : {kNan, kInf, -kInf}) {
    for (const bool in_values : {false, true}) {
      for (const Problem& p : variants(sparse(129, 8))) {
        Problem masked = p;
        masked.mask = {MaskKind::kBoolean, false, false, false};
        Case c(masked);
        auto* const visible = c.mask_memory.as<std::uint8_t>();
        for (std::int64_t j = 0; j < 129; ++j) {
          if (visible[j] == 0) c.set_key(in_values ? c.v : c.k, j, poison);
        }
        CAPTURE(poison, in_values);
        check_all(c, team);
        for_each_kernel(masked, [&](const Kernel& kernel) {
          bool finite = true;
          for (const float x : run(kernel, c, team)) finite = finite && std::isfinite(x);
          CHECK(finite);
        });
      }
    }
  }
}

TEST_CASE("under an additive mask NaN in hidden keys does not leak either", "[attention]") {
  ThreadTeam team(2);
  for (Problem p : variants(sparse(65, 8))) {
    p.mask = {MaskKind::kAdditive, false, false, false};
    Case c(p);
    for (std::int64_t j = 0; j < 65; ++j) {
      if (!c.mask.hides(0, 0, 0, j)) continue;
      c.set_key(c.k, j, kNan);
      c.set_key(c.v, j, -kInf);
    }
    check_all(c, team);
  }
}

TEST_CASE("NaN in a visible key or value reaches exactly the rows that see it", "[attention]") {
  ThreadTeam team(2);
  const std::int64_t n = 129, poisoned = 70, d = 8;
  for (const bool in_values : {false, true}) {
    for (const Problem& p : variants(sparse(n, d))) {
      Case c(p);
      c.set_key(in_values ? c.v : c.k, poisoned, kNan);
      for_each_kernel(p, [&](const Kernel& kernel) {
        CAPTURE(in_values);
        CHECK(run_and_compare(kernel, c, expected_output(c, kernel.op, kernel.products), team) ==
              "");
        const auto out = run(kernel, c, team);
        std::vector<std::uint8_t> visible(n);
        std::int64_t wrong = 0;
        for (std::int64_t row = 0; row < 2 * n; ++row) {
          mark_visible(p, kernel.op, row / n, row % n, visible);
          for (std::int64_t x = 0; x < d; ++x) {
            const bool nan = std::isnan(out[static_cast<std::size_t>(row * d + x)]);
            wrong += nan != (visible[static_cast<std::size_t>(poisoned)] != 0);
          }
        }
        CHECK(wrong == 0);
      });
    }
  }
}

TEST_CASE("NaN in a query stays in its row, whatever bits the NaN has", "[attention]") {
  ThreadTeam team(2);
  const Problem p = sparse(65, 5);
  for (const std::uint32_t bits : {0x7FC00000u, 0x7FFFFFFFu, 0xFF800001u}) {
    Case c(p);
    *reinterpret_cast<std::uint32_t*>(c.q.view().row(0, 1, 30)) = bits;
    check_all(c, team);
  }
}

TEST_CASE("an infinite score decides or hides, as in the reference", "[attention]") {
  ThreadTeam team(2);
  for (const Problem& p : variants(sparse(65, 1))) {  // one channel: no NaN from sums of Inf
    Case c(p);
    c.set_key(c.k, 3, kInf);
    for_each_kernel(p, [&](const Kernel& kernel) {
      if (!has_softmax(kernel.op)) return;
      CHECK(run_and_compare(kernel, c, expected_output(c, kernel.op, kernel.products), team) == "");
    });
  }
}

TEST_CASE("scores of 1e4 and 3e38 do not overflow", "[attention]") {
  ThreadTeam team(2);
  for (const Problem& p : variants(sparse(129, 64))) {
    Case large(p, Layout::kBhnd, 1, 100);  // scores of standard deviation 1e4
    Case huge(p);
    // Scores up to 2.98e38, as sums that do not fit a float32 before the scale of 1/8. Every sum is
    // exact: among scores so large, rounding would decide between equal ones.
    huge.q.fill([](std::int64_t i) { return (i / 64 % 2 == 0 ? 1 : -1) * 0x1.cp63; });
    huge.k.fill([](std::int64_t i) { return 0x1p58 * static_cast<double>(8 - i / 64 % 7); });
    for (const Case* c : {&large, &huge}) {
      for_each_kernel(p, [&](const Kernel& kernel) {
        if (kernel.op == Operator::kLinear && c == &huge) return;  // it has no scores
        bool within = true;
        double least = kInf, most = -kInf;
        for (std::int64_t i = 0; i < element_count(c->v.view().shape); ++i) {
          const double x = load_element(c->v.view().data, p.dtype, i);
          least = std::min(least, x);
          most = std::max(most, x);
        }
        for (const float x : run(kernel, *c, team)) {
          within = within && x >= least * 1.0001 && x <= most * 1.0001;
        }
        CHECK(within);
        if (kernel.op == Operator::kPerformer) return;  // its exponents are beyond float32's digits
        CHECK(run_and_compare(kernel, *c, expected_output(*c, kernel.op, kernel.products), team) ==
              "");
      });
    }
  }
}

TEST_CASE("temperature 0 gives the largest scores equal shares", "[attention]") {
  ThreadTeam team(2);
  for (Problem p : variants(sparse(129, 5))) {
    for (const double scale : {1.0, -1.0, 0.0}) {
      p.temperature = 0;
      p.scale = scale;
      p.mask = scale == 1 ? MaskShape{MaskKind::kBoolean, false, true, true} : MaskShape{};
      Case c(p);
      // Small whole numbers: scores are exact, and there are many ties.
      c.q.fill([](std::int64_t i) { return std::round(1.5 * normal(5, i)); });
      c.k.fill([](std::int64_t i) { return std::round(1.5 * normal(6, i)); });
      check_all(c, team);
    }
  }
}

TEST_CASE("denormal inputs are harmless", "[attention]") {
  ThreadTeam team(2);
  Case c(sparse(129, 8));
  for (std::int64_t j = 0; j < 129; j += 2) {
    c.set_key(c.k, j, 1e-40);
    c.set_key(c.v, j, -3e-41);
  }
  check_all(c, team);
}

}  // namespace attnlab::test
