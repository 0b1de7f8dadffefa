// Kernels without one of their stages: a measurement's runs touch no memory that is not theirs, and
// what a stage writes is missing without it.
#include <cmath>

#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

Problem problem_with(Dtype dtype, Causal causal) {
  Problem p = self_attention(1, 2, 150, 17);
  p.dtype = dtype;
  p.causal = causal;
  p.window = 20;
  p.global_tokens = 3;
  return p;
}

// Whether the output holds nothing but NaN (as before the run), nothing but zeros, or something.
enum class Found { kUntouched, kZeros, kNumbers };
Found found_in(const View& o) {
  std::int64_t nans = 0, zeros = 0, all = 0;
  for (std::int64_t h = 0; h < o.shape[1]; ++h) {
    for (std::int64_t i = 0; i < o.shape[2]; ++i) {
      for (std::int64_t c = 0; c < o.shape[3]; ++c, ++all) {
        const double value = o.at(0, h, i, c);
        nans += std::isnan(value) ? 1 : 0;
        zeros += value == 0 ? 1 : 0;
      }
    }
  }
  return nans == all ? Found::kUntouched : zeros == all ? Found::kZeros : Found::kNumbers;
}

}  // namespace

TEST_CASE("a kernel without a stage stays within its memory and does not do what the stage does",
          "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
    for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
      for (const Kernel* kernel : tested_kernels()) {
        if (!kernel->supports(problem_with(dtype, causal), nullptr)) continue;
        for (const Stage stage : kStages) {
          Problem p = problem_with(dtype, causal);
          p.left_out = StageSet(stage);
          if (!kernel->stages.has(stage)) {
            CHECK_FALSE(kernel->supports(p, nullptr));
            continue;
          }
          INFO(label(*kernel) << " without " << stage_name(stage));
          const Case c(p);
          const PreparedKernel prepared(*kernel, p, 2);
          prepared.run(c.operands(), team);
          CHECK(c.q.intact());
          CHECK(c.k.intact());
          CHECK(c.v.intact());
          CHECK(c.o.intact());
          const Found found = found_in(c.o.view());
          if (stage == Stage::kPacking) CHECK(found != Found::kNumbers);
          if (stage == Stage::kSum) CHECK(found != Found::kNumbers);
        }
      }
    }
  }
}

TEST_CASE("a stage set covers its parts and nothing else", "[attention]") {
  constexpr StageSet kBoth(Stage::kScores, Stage::kSum);
  CHECK(kBoth.covers(StageSet()));
  CHECK(kBoth.covers(StageSet(Stage::kSum)));
  CHECK_FALSE(kBoth.covers(StageSet(Stage::kSum, Stage::kPacking)));
  CHECK_FALSE(kBoth.empty());
  CHECK(StageSet().empty());
}

}  // namespace attnlab::test
