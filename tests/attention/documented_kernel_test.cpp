// The kernel of docs/adding-a-kernel.md does what the page says.
#include <vector>

#include "attention/kernel.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab {

void add_mine_kernels(std::vector<Kernel>& out);

namespace test {

TEST_CASE("the kernel shown in the documentation is right", "[attention]") {
  ThreadTeam team(2);
  std::vector<Kernel> kernels;
  add_mine_kernels(kernels);
  REQUIRE(kernels.size() == 1);
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const MaskShape mask : {MaskShape{},
                                 {MaskKind::kBoolean, true, true, true},
                                 {MaskKind::kAdditive, false, true, true}}) {
      for (const double temperature : {0.0, 0.7}) {
        Problem p = self_attention(2, 4, 33, 5);
        p.nk = 20;
        p.kv_heads = 2;
        p.causal = causal;
        p.mask = mask;
        p.temperature = temperature;
        const Case c(p, Layout::kGaps);
        INFO(describe(p));
        CHECK(run_and_compare(kernels[0], c, expected_output(c, Operator::kDense), team) == "");
      }
    }
  }
}

}  // namespace test
}  // namespace attnlab
