// Pair counts against counting every couple, and the continuation that crossovers use.
#include "cost/pairs.h"

#include <cmath>

#include "support/catch.h"

namespace attnlab {
namespace {

constexpr Causal kMasks[] = {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight};

std::int64_t counted(Causal causal, const Reach& reach, std::int64_t nq, std::int64_t nk) {
  const std::int64_t shift = causal == Causal::kBottomRight ? nk - nq : 0;
  std::int64_t pairs = 0;
  for (std::int64_t i = 0; i < nq; ++i) {
    for (std::int64_t j = 0; j < nk; ++j) {
      const std::int64_t at = i + shift;
      const bool past = causal == Causal::kNone || j <= at;
      const bool near = !reach.window || (j > at - *reach.window && j < at + *reach.window);
      const bool same = !reach.chunk || (at >= 0 && at / *reach.chunk == j / *reach.chunk);
      if (past && near && same) ++pairs;
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("pairs are those counted one by one", "[cost]") {
  for (const Causal causal : kMasks) {
    for (const std::int64_t nq : {0, 1, 3, 7, 12}) {
      for (const std::int64_t nk : {0, 1, 4, 7, 15}) {
        CAPTURE(static_cast<int>(causal), nq, nk);
        CHECK(visible_pairs(causal, {}, nq, nk).value() == counted(causal, {}, nq, nk));
        for (const std::int64_t size : {1, 2, 3, 5, 7, 100}) {
          CAPTURE(size);
          const Reach window{size, {}}, chunk{{}, size};
          CHECK(visible_pairs(causal, window, nq, nk).value() == counted(causal, window, nq, nk));
          CHECK(visible_pairs(causal, chunk, nq, nk).value() == counted(causal, chunk, nq, nk));
        }
      }
    }
  }
}

TEST_CASE("known pair counts", "[cost]") {
  CHECK(visible_pairs(Causal::kBottomRight, {}, 4, 10).value() == 34);
  CHECK(visible_pairs(Causal::kTopLeft, {}, 32768, 32768).value() == 536'887'296);
  CHECK(visible_pairs(Causal::kTopLeft, {1024, {}}, 32768, 32768).value() == 33'030'656);
  CHECK(visible_pairs(Causal::kNone, {}, 100'000, 100'000).value() == 10'000'000'000);
}

TEST_CASE("pairs that pass 64 bits are no value", "[cost]") {
  constexpr std::int64_t kHuge = 4'000'000'000, kHalf = std::int64_t{1} << 31;
  CHECK_FALSE(visible_pairs(Causal::kNone, {}, kHuge, kHuge).value().has_value());
  CHECK(visible_pairs(Causal::kTopLeft, {}, kHuge, kHuge).value() == 8'000'000'002'000'000'000);
  CHECK(visible_pairs(Causal::kTopLeft, {}, kHalf, kHalf).value() == kHalf / 2 * (kHalf + 1));
  CHECK_FALSE(visible_pairs(Causal::kTopLeft, {}, 2 * kHalf, 2 * kHalf).value().has_value());
  CHECK(visible_pairs(Causal::kNone, {}, 46'341, 46'341).value() == 2'147'488'281);
}

TEST_CASE("a window or chunk of all keys changes nothing", "[cost]") {
  for (const Causal causal : kMasks) {
    const auto all = visible_pairs(causal, {}, 9, 9).value();
    CHECK(visible_pairs(causal, {9, {}}, 9, 9).value() == all);
    CHECK(visible_pairs(causal, {{}, 9}, 9, 9).value() == all);
  }
}

TEST_CASE("the continuation meets the counts at whole numbers", "[cost]") {
  const Reach reaches[] = {{}, {5, {}}, {{}, 4}};
  for (const Causal causal : kMasks) {
    for (const Reach& reach : reaches) {
      for (std::int64_t n = 1; n < 30; ++n) {
        const auto x = static_cast<double>(n);
        const PairCurve curve = pair_curve(causal, reach, x);
        CAPTURE(static_cast<int>(causal), n);
        CHECK(curve.until > x);
        CHECK(curve.square * x * x + curve.linear * x + curve.constant ==
              static_cast<double>(*visible_pairs(causal, reach, n, n).value()));
      }
    }
  }
}

}  // namespace attnlab
