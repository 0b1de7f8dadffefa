// Half types and int8 inside the kernels: what each bit pattern becomes, and what rounding costs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/reference.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

constexpr std::int64_t kRow = 256, kTail = 3;  // the tail is no whole vector

float value_of(Dtype dtype, std::uint16_t bits) {
  return dtype == Dtype::kF16 ? to_float(F16{bits}) : to_float(Bf16{bits});
}

}  // namespace

TEST_CASE("every half reaches the output as it is: a single key has the weight 1", "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    Problem p = self_attention(1, 256, 1, 4);
    p.head_dim_v = kRow + kTail;
    p.dtype = dtype;
    const Case c(p);
    const auto bits_of = [](std::int64_t head, std::int64_t channel) {
      return static_cast<std::uint16_t>(head * kRow + channel % kRow);
    };
    for (std::int64_t h = 0; h < p.heads; ++h) {
      auto* const row = reinterpret_cast<std::uint16_t*>(c.v.view().row(0, h, 0));
      for (std::int64_t x = 0; x < p.head_dim_v; ++x) row[x] = bits_of(h, x);
    }
    for (const Kernel* kernel : tested_kernels()) {
      if (!has_softmax(kernel->op) || !kernel->supports(p, nullptr)) continue;
      const std::vector<float> out = run(*kernel, c, team);
      REQUIRE(std::ssize(out) == p.heads * p.head_dim_v);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < std::ssize(out); ++i) {
        float expected = value_of(dtype, bits_of(i / p.head_dim_v, i % p.head_dim_v));
        const float found = out[static_cast<std::size_t>(i)];
        // A bf16 that is denormal as a float32 counts as zero in the kernels that flush those.
        if (std::fpclassify(expected) == FP_SUBNORMAL && found == 0) expected = 0;
        wrong += std::isnan(expected) ? !std::isnan(found) : found != expected;
      }
      INFO(label(*kernel) << " " << dtype_name(dtype));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("subnormal, infinite and NaN halves in keys count as in the reference", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 1, 65, 1);  // one channel: no NaN from sums of infinities
  p.dtype = Dtype::kF16;
  p.scale = 0x1p14;
  Case c(p);
  c.q.fill([](std::int64_t i) { return 1 + i % 3; });
  // Scores from 2^-10 to 1: with these subnormals as zeros all keys would weigh the same.
  c.k.fill([](std::int64_t i) { return 0x1p-24 * static_cast<double>(i * 15 % 1024); });
  for (const double special : {0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    if (special != 0) c.k.set({0, 0, 7, 0}, special);
    for (const Kernel* kernel : runnable_kernels()) {
      if (kernel->op != Operator::kDense || !kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel) << " " << special);
      CHECK(run_and_compare(*kernel, c, expected_output(c, kernel->op), team) == "");
    }
  }
}

TEST_CASE("int8 keys and values cost no more than their bound", "[attention]") {
  ThreadTeam team(2);
  for (const double deviation : {0.3, 1.0}) {
    Problem p = self_attention(1, 4, 300, 64);
    p.nq = 1;
    p.kv_heads = 2;
    const Case exact(p, Layout::kBhnd, 3, deviation);
    const Expected truth = expected_output(exact, Operator::kDense);
    p.dtype = Dtype::kInt8;
    const Case rounded(p, Layout::kBhnd, 3, deviation);
    for (const Kernel* kernel : runnable_kernels()) {
      if (!kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel));
      run(*kernel, rounded, team);
      double worst = 0;
      for (std::int64_t h = 0; h < p.heads; ++h) {
        const std::int64_t kv = p.kv_head(h);
        double k_most = 0, v_most = 0, q_sum = 0, off = 0;
        for (std::int64_t x = 0; x < 64; ++x) {
          q_sum += std::abs(exact.q.view().at(0, h, 0, x));
          for (std::int64_t j = 0; j < p.nk; ++j) {
            k_most = std::max(k_most, std::abs(exact.k.view().at(0, kv, j, x)));
            v_most = std::max(v_most, std::abs(exact.v.view().at(0, kv, j, x)));
          }
          off =
              std::max(off, std::abs(rounded.o.view().at(0, h, 0, x) - truth.view.at(0, h, 0, x)));
        }
        // docs/attention.md: a score is off by `score` at most, so weights by a factor exp(2
        // score).
        const double score = p.effective_scale() * q_sum * k_most / 254;
        const double bound = v_most * (1.0 / 254 + std::expm1(2 * score));
        CHECK(off <= bound);
        worst = std::max(worst, off);
      }
      CHECK(worst > 1e-4);  // it does round
    }
  }
}

}  // namespace attnlab::test
