// Products of bfloat16: flash on the instruction sets that have them, where this processor does,
// and everywhere with plain arithmetic in their place.
#include "attention/simd/bf16.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/kernels/flash.h"
#include "attention/registry.h"
#include "machine/amx.h"
#include "support/case.h"
#include "support/catch.h"
#include "support/grid.h"
#include "support/tile_emulation.h"

namespace attnlab::test {
namespace {

std::vector<const Kernel*> bf16_kernels() {
  std::vector<const Kernel*> out;
  for (const Kernel* kernel : tested_kernels()) {
    if (kernel->products == Dtype::kBf16) out.push_back(kernel);
  }
  return out;
}

// Shapes around the edges of tiles (16 and 32), sub-blocks (64) and blocks (256).
std::vector<Problem> long_problems() {
  std::vector<Problem> out;
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const auto& [nq, nk, d, dv] :
         {std::array{31, 257, 64, 64}, {33, 575, 32, 48}, {100, 320, 65, 17}, {300, 289, 96, 33}}) {
      Problem p = self_attention(1, 2, nk, d);
      p.nq = nq;
      p.head_dim_v = dv;
      p.kv_heads = 1;
      p.causal = causal;
      p.dtype = Dtype::kBf16;
      out.push_back(p);
    }
  }
  Problem masked = out[1];
  masked.mask = {MaskKind::kBoolean, false, true, true};
  out.push_back(masked);
  masked.mask = {MaskKind::kAdditive, false, false, true};
  out.push_back(masked);
  return out;
}

// A copy of the case whose inputs are f32: those of bf16, each moved by less than half a unit of
// its last place, so that rounding gives them back.
Case unrounded(const Case& c) {
  Problem p = c.problem;
  p.dtype = Dtype::kF32;
  p.fpmath = FpMath::kBf16;
  Case out(p);
  const auto move = [](const GuardedTensor& from, GuardedTensor& to) {
    const ConstView view = from.view();
    to.fill([&](std::int64_t i) {
      const double x = load_element(view.data, view.dtype, i);
      return x * (1 + 0x1p-10 * (i % 3 == 0 ? 1 : -1));
    });
  };
  move(c.q, out.q);
  move(c.k, out.k);
  move(c.v, out.v);
  return out;
}

}  // namespace

TEST_CASE("there are kernels with products of bf16 to test on every machine", "[attention]") {
  CHECK(bf16_kernels().size() >= 2 * simd_isas().size());
  for (const Isa isa : {Isa::kAvx512Bf16, Isa::kAmx}) {
    if (isa_absence(isa).empty()) {
      REQUIRE(find_kernel("flash", isa) != nullptr);
    } else {
      WARN(isa_absence(isa) << ": flash on " << isa_name(isa) << " was tested in plain arithmetic");
    }
  }
}

TEST_CASE("products of bf16 lose at most twice what three bf16 steps do, at every length",
          "[attention]") {
  for (const Problem& p : long_problems()) {
    const Case c(p);
    const Expected expected = expected_output(c, Operator::kDense, Dtype::kBf16);
    // What is allowed is no more than bf16 costs.
    CHECK(expected.textbook_error < 0.03);
    for (const Kernel* kernel : bf16_kernels()) {
      INFO(label(*kernel) << ": " << describe(p));
      ThreadTeam one(1);
      CHECK(run_and_compare(*kernel, c, expected, one) == "");
      const auto alone = run(*kernel, c, one);
      for (const int threads : {2, 5}) {
        ThreadTeam team(threads);
        CHECK(same_bits(run(*kernel, c, team), alone));
      }
    }
  }
}

TEST_CASE("a row's bits do not depend on the rows beside it", "[attention]") {
  ThreadTeam team(1);
  Problem p = self_attention(1, 1, 300, 40);
  p.dtype = Dtype::kBf16;
  p.causal = Causal::kTopLeft;
  const Case c(p);
  for (const Kernel* kernel : bf16_kernels()) {
    INFO(label(*kernel));
    const auto all = run(*kernel, c, team);
    Problem few = p;
    few.nq = 37;  // the same rows from the first on, in smaller groups
    Case part(few);
    part.q.fill([&](std::int64_t i) { return load_element(c.q.view().data, p.dtype, i); });
    part.k.fill([&](std::int64_t i) { return load_element(c.k.view().data, p.dtype, i); });
    part.v.fill([&](std::int64_t i) { return load_element(c.v.view().data, p.dtype, i); });
    CHECK(same_bits(run(*kernel, part, team), {all.begin(), all.begin() + 37 * 40}));
  }
}

TEST_CASE("float32 inputs are rounded to bf16 inside, to the very bits", "[attention]") {
  ThreadTeam team(2);
  for (int index = 0; index < kCases; index += 5) {
    const Problem p = problem_number(index, Dtype::kBf16, Operator::kDense);
    const Case rounded(p, Layout::kBhnd);
    Case whole = unrounded(rounded);
    for (const Kernel* kernel : bf16_kernels()) {
      INFO(label(*kernel) << ": " << describe(p));
      REQUIRE(kernel->supports(whole.problem, nullptr));
      CHECK(same_bits(run(*kernel, whole, team), run(*kernel, rounded, team)));
    }
  }
}

TEST_CASE("the tile unit's own instructions, emulated, give the bits of plain arithmetic",
          "[attention]") {
  if (tile_unit_engines().empty() || may_use_amx()) {
    WARN("no tile unit to emulate: this processor has one, or is none of x86-64");
    return;
  }
  const TileEmulation emulation;
  ThreadTeam team(2);
  for (const AttendEngine& engine : tile_unit_engines()) {
    if (!isa_absence(engine.isa).empty()) continue;
    const auto same_isa = [&](const AttendEngine& other) {
      return other.isa == engine.isa && other.tile_queries == engine.tile_queries;
    };
    const std::span<const AttendEngine> plain = plain_bf16_engines();
    const auto other = std::find_if(plain.begin(), plain.end(), same_isa);
    REQUIRE(other != plain.end());
    const Kernel own = flash_kernel(engine), expected = flash_kernel(*other);
    for (const Problem& p : long_problems()) {
      INFO(isa_name(engine.isa) << ": " << describe(p));
      const Case c(p);
      const long before = TileEmulation::products();
      CHECK(same_bits(run(own, c, team), run(expected, c, team)));
      CHECK(TileEmulation::products() > before);
      CHECK(TileEmulation::configured() == 0);  // what a thread configured it released
    }
  }
}

TEST_CASE("float32 is rounded only where the problem allows it", "[attention]") {
  Problem p = self_attention(1, 1, 64, 64);
  for (const Kernel* kernel : bf16_kernels()) {
    std::string why_not;
    CHECK(!kernel->supports(p, &why_not));
    CHECK(why_not == "it multiplies bf16: give dtype bf16, or f32 with fpmath bf16");
    p.dtype = Dtype::kF16;
    CHECK(!kernel->supports(p, nullptr));
    p.dtype = Dtype::kF32;
  }
}

TEST_CASE("an output of bf16 is the rounded output of f32", "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
    for (int index = 1; index < kCases; index += 7) {
      Problem p = problem_number(index, dtype, Operator::kDense);
      const Case exact(p, layout_number(index));
      p.output_dtype = Dtype::kBf16;
      const Case rounded(p, layout_number(index));
      for (const Kernel* kernel : tested_kernels()) {
        std::string why_not;
        if (!kernel->supports(p, &why_not)) continue;
        if (kernel->name == "reference") continue;  // it rounds float64, not float32
        INFO(label(*kernel) << ": " << describe(p));
        std::vector<float> expected = run(*kernel, exact, team);
        for (float& x : expected) x = to_float(to_bf16(x));
        CHECK(same_bits(run(*kernel, rounded, team), expected));
        CHECK(rounded.o.intact());
      }
    }
  }
  Problem p = self_attention(1, 1, 64, 64);
  p.output_dtype = Dtype::kBf16;
  CHECK(find_kernel("flash")->supports(p, nullptr));
  std::string why_not;
  CHECK(!find_kernel("naive")->supports(p, &why_not));
  CHECK(why_not == "it writes its output in f32 alone; flash writes bf16 too");
}

TEST_CASE("weights of products of bf16 sum to one", "[attention]") {
  ThreadTeam team(2);
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft}) {
    Problem p = self_attention(1, 2, 129, 64);
    p.dtype = Dtype::kBf16;
    p.causal = causal;
    Case c(p, Layout::kBhnd, 1, 3);
    c.v.fill([](std::int64_t) { return 1; });
    for (const Kernel* kernel : bf16_kernels()) {
      INFO(label(*kernel));
      float off = 0;
      for (const float x : run(*kernel, c, team)) off = std::max(off, std::abs(x - 1));
      CHECK(off < 2e-6f);
    }
  }
}

TEST_CASE("products of bf16 are chosen where they are allowed, run and pay", "[attention]") {
  Problem p = self_attention(1, 1, 512, 64);
  CHECK(find_kernel("flash", p) == find_kernel("flash"));
  CHECK(better_kernels("flash", p).empty());
  CHECK(find_kernel("flash")->products == Dtype::kF32);
  const bool has_any = isa_absence(Isa::kAvx512Bf16).empty() || isa_absence(Isa::kAmx).empty();
  p.dtype = Dtype::kBf16;
  CHECK((find_kernel("flash", p)->products == Dtype::kBf16) == has_any);
  p.dtype = Dtype::kF32;
  p.fpmath = FpMath::kBf16;
  CHECK((find_kernel("flash", p)->products == Dtype::kBf16) == has_any);
  p.nq = 1;  // not for a tile of one query
  CHECK(find_kernel("flash", p) == find_kernel("flash"));
  CHECK(find_kernel("naive", p) == find_kernel("naive"));
  CHECK(find_kernel("flush", p) == nullptr);
}

TEST_CASE("where the system refuses AMX, the next path is taken and the reason told",
          "[attention]") {
  Problem p = self_attention(1, 1, 512, 64);
  p.dtype = Dtype::kBf16;
  const SimulatedAmxRefusal refusal("the system refuses this process AMX (simulated)");
  CHECK(!may_use_amx());
  CHECK(isa_absence(Isa::kAmx) == "the system refuses this process AMX (simulated)");
  for (const Kernel* kernel : runnable_kernels()) CHECK(kernel->isa != Isa::kAmx);
  const Kernel* const next = find_kernel("flash", p);
  REQUIRE(next != nullptr);
  CHECK(next->isa ==
        (isa_absence(Isa::kAvx512Bf16).empty() ? Isa::kAvx512Bf16 : simd_isas().back()));
  if (find_kernel("flash", Isa::kAmx) == nullptr) {
    WARN("this build has no code for AMX");
    return;
  }
  const std::string better = better_kernels("flash", p);
  CHECK(better.find("amx: the system refuses this process AMX (simulated)") != std::string::npos);
  const Case c(p);
  ThreadTeam team(2);
  const Expected expected = expected_output(c, Operator::kDense, next->products);
  CHECK(run_and_compare(*next, c, expected, team) == "");
}

}  // namespace attnlab::test
