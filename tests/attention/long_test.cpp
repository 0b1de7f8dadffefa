// Sequences whose n * n does not fit 32 bits, for the kernels that do not hold n x n numbers.
#include <vector>

#include "attention/reference.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {

TEST_CASE("n = 46,340 and 46,341 are right", "[attention]") {
  ThreadTeam team(2);
  for (const std::int64_t n : {46'340, 46'341}) {
    Problem p = self_attention(1, 1, n, 1);
    p.causal = Causal::kTopLeft;
    p.features = 4;
    p.global_tokens = 3;
    const Case c(p);
    const std::vector<std::int64_t> rows = {0, 1, 23'170, n - 2, n - 1};
    for (const Operator op : kOperators) {
      std::vector<double> truth(rows.size());
      std::vector<float> plain(rows.size());
      const Index4 shape{1, 1, std::ssize(rows), 1};
      const View truth_view(truth.data(), shape), plain_view(plain.data(), shape);
      reference_rows(p, op, c.operands(), rows, truth_view, team);
      textbook_rows(p, op, c.operands(), rows, plain_view, team);
      const double textbook = max_difference(plain_view, truth_view);
      for (const Kernel* kernel : runnable_kernels()) {
        const bool dense = kernel->op == Operator::kDense;
        if (kernel->op != op || !kernel->supports(p, nullptr)) continue;
        if (dense && kernel->name != "flash") continue;
        INFO(label(*kernel) << ": " << describe(p));
        run(*kernel, c, team);
        for (std::size_t r = 0; r < rows.size(); ++r)
          plain[r] = static_cast<float>(c.o.view().at(0, 0, rows[r], 0));
        CHECK(error_ratio(max_difference(plain_view, truth_view), textbook, c.v.view()) <= 2);
      }
    }
  }
}

TEST_CASE("a cache of 70,000 keys is right", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 2, 70'000, 16);
  p.nq = 1;
  p.kv_heads = 1;
  p.causal = Causal::kBottomRight;
  const Case c(p);
  const Expected expected = expected_output(c, Operator::kDense);
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->op != Operator::kDense || !kernel->supports(p, nullptr)) continue;
    INFO(label(*kernel));
    CHECK(run_and_compare(*kernel, c, expected, team) == "");
  }
}

}  // namespace attnlab::test
