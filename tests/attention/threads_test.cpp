// The same bits for any team, long enough problems that keys are split, and memory.
#include <map>

#include "attention/reference.h"
#include "attention/registry.h"
#include "base/error.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

// Problems whose keys and queries fall into several chunks, groups and blocks.
std::vector<Problem> long_problems() {
  std::vector<Problem> out;
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const auto& [nq, nk] : {std::pair{3, 1500}, {400, 1100}, {700, 530}}) {
      Problem p = self_attention(1, 2, nk, 12);
      p.nq = nq;
      p.kv_heads = 1;
      p.causal = causal;
      p.window = 100;
      p.global_tokens = 70;
      p.features = 6;
      out.push_back(p);
    }
  }
  Problem masked = out[1];
  masked.mask = {MaskKind::kBoolean, false, true, false};
  out.push_back(masked);
  masked.mask = {MaskKind::kAdditive, false, false, true};
  out.push_back(masked);
  return out;
}

}  // namespace

TEST_CASE("every kernel is right where its work is split, with the same bits for any team",
          "[attention]") {
  const std::vector<Problem> problems = long_problems();
  for (std::size_t index = 0; index < problems.size(); ++index) {
    const Problem& p = problems[index];
    const Case c(p);
    std::map<Operator, Expected> expected;
    for (const Kernel* kernel : runnable_kernels()) {
      if (!kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel) << ": " << describe(p));
      if (!expected.contains(kernel->op)) expected[kernel->op] = expected_output(c, kernel->op);
      ThreadTeam one(1);
      CHECK(run_and_compare(*kernel, c, expected[kernel->op], one) == "");
      const auto alone = run(*kernel, c, one);
      for (const int threads : {2, 5}) {
        ThreadTeam team(threads);
        CHECK(same_bits(run(*kernel, c, team), alone));
      }
    }
  }
}

TEST_CASE("a workspace can be used again, and is as large as its formula says", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 3, 129, 16);
  p.features = 24;
  p.causal = Causal::kTopLeft;
  const Case c(p);
  for (const Kernel* kernel : runnable_kernels()) {
    if (!kernel->supports(p, nullptr)) continue;
    INFO(label(*kernel));
    const auto fresh = run(*kernel, c, team);
    const std::int64_t before = AlignedBuffer::bytes_in_use();
    const PreparedKernel prepared(*kernel, p, 2);
    CHECK(AlignedBuffer::bytes_in_use() - before == kernel->workspace(p, 2));
    CHECK(prepared.workspace_bytes() == kernel->workspace(p, 2));
    prepared.run(c.operands(), team);
    AlignedBuffer::reset_peak();
    const std::int64_t peak = AlignedBuffer::peak_bytes();
    prepared.run(c.operands(), team);
    CHECK(AlignedBuffer::peak_bytes() == peak);  // a run allocates nothing
    std::vector<float> out;
    for (std::int64_t i = 0; i < element_count(c.o.view().shape); ++i) {
      out.push_back(static_cast<float>(load_element(c.o.view().data, Dtype::kF32, i)));
    }
    CHECK(same_bits(out, fresh));
  }
}

TEST_CASE("workspaces of the fused and linear kernels do not grow with n squared", "[attention]") {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == "naive") continue;
    INFO(label(kernel));
    Problem p = self_attention(1, 1, 1 << 14, 64);
    if (kernel.name == "decode") p.nq = 1;
    const std::int64_t small = kernel.workspace(p, 2);
    p.nk = 1 << 18;
    if (kernel.name != "decode") p.nq = 1 << 18;
    CHECK(kernel.workspace(p, 2) <= 16 * small);
  }
  const Problem p = self_attention(1, 1, 1 << 14, 64);
  CHECK(find_kernel("flash")->workspace(p, 1) < 1 << 20);
  CHECK(find_kernel("naive")->workspace(p, 1) > std::int64_t{1} << 30);
}

TEST_CASE("what does not fit is an error with a reason, before anything is computed",
          "[attention]") {
  ThreadTeam team(1);
  Problem p = self_attention(1, 2, 8, 4);
  const Case c(p);
  const Kernel& flash = *find_kernel("flash");
  const PreparedKernel prepared(flash, p, 1);
  Operands operands = c.operands();
  operands.k = operands.k.rows(0, 7);
  CHECK_THROWS_WITH(prepared.run(operands, team),
                    "kernel flash: k has shape [1, 2, 7, 4], not [1, 2, 8, 4]");
  p.heads = 3;
  CHECK_THROWS_AS(PreparedKernel(flash, p, 1), UserError);
  p = self_attention(1, 1, 8, 4);
  p.mask.kind = MaskKind::kAdditive;
  std::string why_not;
  CHECK(!find_kernel("linear")->supports(p, &why_not));
  CHECK(why_not == "linear attention has no scores to add a mask to");
  p = self_attention(1, 1, std::int64_t{1} << 33, 4);
  CHECK(!find_kernel("naive")->supports(p, &why_not));
}

TEST_CASE("every kernel says what it is", "[attention]") {
  for (const Kernel& kernel : kernels()) {
    INFO(label(kernel));
    CHECK(!kernel.summary.empty());
    CHECK(!kernel.source.empty());
    CHECK(find_kernel(kernel.name, kernel.isa) == &kernel);
  }
  CHECK(find_kernel("flash") != nullptr);
  CHECK(find_kernel("flash")->isa == simd_isas().back());
  CHECK(find_kernel("flush") == nullptr);
}

}  // namespace attnlab::test
