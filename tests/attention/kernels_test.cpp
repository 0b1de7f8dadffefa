// Every kernel on every instruction set of this machine against the float64 reference, over shapes
// that cover each value of each axis.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"
#include "support/grid.h"

namespace attnlab::test {
namespace {

constexpr Causal kCausals[] = {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight};

struct Prepared {
  Case c;
  Expected expected;
};

// Built once, whatever number of kernels is held against it.
Prepared& prepared(int index, Dtype dtype, Operator op, Dtype products) {
  static std::map<std::tuple<int, Dtype, Operator, Dtype>, Prepared> cache;
  const auto key = std::tuple{index, dtype, op, products};
  auto found = cache.find(key);
  if (found == cache.end()) {
    Case c(problem_number(index, dtype, op), layout_number(index),
           static_cast<std::uint64_t>(index));
    Expected expected = expected_output(c, op, products);
    found = cache.emplace(key, Prepared{std::move(c), std::move(expected)}).first;
  }
  return found->second;
}

void check_all_cases(Dtype dtype, int first, int step) {
  ThreadTeam team(2);
  for (const Kernel* kernel : tested_kernels()) {
    if (dtype == Dtype::kF32 && kernel->products != Dtype::kF32) continue;
    DYNAMIC_SECTION(label(*kernel)) {
      std::set<std::int64_t> queries, keys, sizes, masks, causals;
      for (int index = first; index < kCases; index += step) {
        const Problem problem = problem_number(index, dtype, kernel->op);
        std::string why_not;
        if (!kernel->supports(problem, &why_not)) {
          INFO(describe(problem));
          CHECK(!why_not.empty());
          continue;
        }
        Prepared& p = prepared(index, dtype, kernel->op, kernel->products);
        const std::string wrong = run_and_compare(*kernel, p.c, p.expected, team);
        if (!wrong.empty())
          FAIL_CHECK("case " << index << ", " << describe(problem) << ": " << wrong);
        queries.insert(problem.nq);
        keys.insert(problem.nk);
        sizes.insert(problem.head_dim);
        causals.insert(static_cast<int>(problem.causal));
        masks.insert(static_cast<int>(problem.mask.kind) * 8 + problem.mask.per_query);
      }
      if (step > 1) continue;
      CHECK(queries.size() == 6);
      CHECK(keys.size() == 6);
      CHECK(sizes.size() == 7);
      CHECK(causals.size() == 3);
      CHECK(masks.size() == (has_softmax(kernel->op) ? 5u : 2u));
    }
  }
}

}  // namespace

TEST_CASE("every kernel is right at every shape in f32", "[attention]") {
  check_all_cases(Dtype::kF32, 0, 1);
}

TEST_CASE("every kernel is right in bf16", "[attention]") { check_all_cases(Dtype::kBf16, 0, 3); }

TEST_CASE("every kernel is right in f16", "[attention]") { check_all_cases(Dtype::kF16, 1, 3); }

TEST_CASE("every kernel that reads int8 is right in it", "[attention]") {
  check_all_cases(Dtype::kInt8, 2, 3);
  std::set<std::string_view> names;
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->supports(problem_number(0, Dtype::kInt8, kernel->op), nullptr)) {
      names.insert(kernel->name);
    }
  }
  CHECK(names == std::set<std::string_view>{"decode", "reference", "textbook"});
}

TEST_CASE("head sizes beyond 256 are right", "[attention]") {
  ThreadTeam team(2);
  Problem p = self_attention(1, 2, 70, 321);
  p.head_dim_v = 514;
  p.features = 400;
  p.window = 30;
  p.causal = Causal::kTopLeft;
  const Case c(p);
  for (const Operator op : kOperators) {
    const Expected expected = expected_output(c, op);
    for (const Kernel* kernel : runnable_kernels()) {
      if (kernel->op != op || !kernel->supports(p, nullptr)) continue;
      INFO(label(*kernel) << " " << describe(p));
      CHECK(run_and_compare(*kernel, c, expected, team) == "");
    }
  }
}

TEST_CASE("instruction sets that this processor lacks are named", "[attention]") {
  std::set<std::string> absent;
  for (const Kernel& kernel : kernels()) {
    const std::string absence = isa_absence(kernel.isa);
    if (!absence.empty()) absent.insert(fmt::format("{} ({})", isa_name(kernel.isa), absence));
  }
  for (const std::string& isa : absent) {
    WARN("kernels on " << isa << " are in this build, but skipped");
  }
  CHECK(runnable_kernels().size() > 8);
}

TEST_CASE("performer is right where its exponents are large", "[attention]") {
  ThreadTeam team(2);
  for (const Causal causal : kCausals) {
    Problem p = self_attention(1, 4, 129, 64);
    p.scale = 1;
    p.causal = causal;
    p.features = 64;
    const Case c(p);
    const Expected expected = expected_output(c, Operator::kPerformer);
    for (const Kernel* kernel : runnable_kernels()) {
      if (kernel->op != Operator::kPerformer) continue;
      INFO(label(*kernel) << " " << describe(p));
      CHECK(run_and_compare(*kernel, c, expected, team) == "");
    }
  }
}

}  // namespace attnlab::test
