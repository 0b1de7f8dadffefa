// Every kernel on every instruction set of this machine against the float64 reference, over shapes
// that cover each value of each axis.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

constexpr std::int64_t kLengths[] = {1, 3, 7, 63, 65, 129};
constexpr std::int64_t kHeadSizes[] = {1, 5, 64, 72, 80, 128, 256};
constexpr Causal kCausals[] = {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight};
constexpr std::array<std::int64_t, 2> kHeads[] = {{1, 1}, {4, 4}, {4, 2}, {3, 1}};
constexpr MaskShape kMasks[] = {{},
                                {MaskKind::kBoolean, false, false, true},
                                {MaskKind::kAdditive, true, true, true},
                                {},
                                {MaskKind::kBoolean, true, false, false},
                                {MaskKind::kAdditive, false, true, false},
                                {MaskKind::kBoolean, true, true, true}};
constexpr double kTemperatures[] = {1, 1, 0.5, 3};
constexpr std::optional<double> kScales[] = {std::nullopt, 1.0, 0.3, -0.2, 0.0};
constexpr Layout kLayouts[] = {Layout::kBhnd, Layout::kBnhd, Layout::kGaps};
constexpr std::int64_t kWindows[] = {1, 2, 9, 40, 300};
constexpr std::int64_t kGlobals[] = {0, 0, 1, 5, 80};
constexpr std::int64_t kStrides[] = {0, 1, 3, 17};
constexpr std::int64_t kFeatures[] = {7, 24, 64};
constexpr int kCases = 84;  // every value of each axis at least twelve times

// Value number `index` of an axis: each run through the axis takes its values in another order.
template <class T, std::size_t kSize>
T pick(const T (&values)[kSize], int index, std::uint64_t axis) {
  std::array<std::size_t, kSize> order;
  for (std::size_t i = 0; i < kSize; ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const int round = index / static_cast<int>(kSize);
    return normal(axis * 100 + static_cast<std::uint64_t>(round), static_cast<std::int64_t>(i));
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return values[order[static_cast<std::size_t>(index) % kSize]];
}

// The exponents of performer's features grow like the square of q and k. Under the scale 1 they are
// so large that rounding decides, and over a few rows the textbook's error is a matter of luck: a
// test of its own looks at many rows.
void limit_scale(Problem& p, Operator op) {
  const double most = 1 / std::sqrt(static_cast<double>(p.head_dim));
  if (op == Operator::kPerformer) p.scale = std::clamp(p.effective_scale(), -most, most);
}

Problem problem_number(int index, Dtype dtype, Operator op) {
  Problem p;
  const auto heads = pick(kHeads, index, 1);
  p.batch = index % 5 == 0 ? 2 : 1;
  p.heads = heads[0];
  p.kv_heads = heads[1];
  p.nq = pick(kLengths, index, 2);
  p.nk = pick(kLengths, index, 3);
  p.head_dim = pick(kHeadSizes, index, 4);
  p.head_dim_v = index % 3 == 0 ? pick(kHeadSizes, index, 5) : p.head_dim;
  p.causal = pick(kCausals, index, 6);
  p.mask = pick(kMasks, index, 7);
  p.temperature = pick(kTemperatures, index, 8);
  p.scale = pick(kScales, index / 2, 9);
  p.window = pick(kWindows, index, 10);
  p.global_tokens = pick(kGlobals, index, 11);
  p.stride = pick(kStrides, index, 12);
  p.random_blocks = index % 4;
  p.features = pick(kFeatures, index, 13);
  p.seed = static_cast<std::uint64_t>(index);
  p.dtype = dtype;
  limit_scale(p, op);
  return p;
}

struct Prepared {
  Case c;
  Expected expected;
};

// Built once, whatever number of kernels is held against it.
Prepared& prepared(int index, Dtype dtype, Operator op) {
  static std::map<std::tuple<int, Dtype, Operator>, Prepared> cache;
  const auto key = std::tuple{index, dtype, op};
  auto found = cache.find(key);
  if (found == cache.end()) {
    Case c(problem_number(index, dtype, op), pick(kLayouts, index, 14),
           static_cast<std::uint64_t>(index));
    Expected expected = expected_output(c, op);
    found = cache.emplace(key, Prepared{std::move(c), std::move(expected)}).first;
  }
  return found->second;
}

void check_all_cases(Dtype dtype, int first, int step) {
  ThreadTeam team(2);
  for (const Kernel* kernel : runnable_kernels()) {
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
        Prepared& p = prepared(index, dtype, kernel->op);
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
      CHECK(queries.size() == std::size(kLengths));
      CHECK(keys.size() == std::size(kLengths));
      CHECK(sizes.size() == std::size(kHeadSizes));
      CHECK(causals.size() == std::size(kCausals));
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
      if (kernel->op != op) continue;
      INFO(label(*kernel) << " " << describe(p));
      CHECK(run_and_compare(*kernel, c, expected, team) == "");
    }
  }
}

TEST_CASE("instruction sets that this processor lacks are named", "[attention]") {
  std::set<std::string_view> absent;
  const std::vector<Isa> here = simd_isas();
  const std::vector<const Kernel*> runnable = runnable_kernels();
  for (const Kernel& kernel : kernels()) {
    const bool runs = std::find(runnable.begin(), runnable.end(), &kernel) != runnable.end();
    if (!runs) absent.insert(isa_name(kernel.isa));
  }
  for (const std::string_view isa : absent) {
    WARN("kernels on " << isa << " are in this build, but skipped: this processor lacks it");
    CHECK(std::find(here.begin(), here.end(), isa_from_name(isa).value()) == here.end());
  }
  CHECK(runnable.size() > 8);
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
