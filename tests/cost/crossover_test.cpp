// Crossovers against the rules that hold for plain layers, and against the counts on both sides.
#include "cost/crossover.h"

#include <cmath>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

LayerShape plain(std::int64_t width, std::int64_t heads, std::int64_t kv_heads) {
  LayerShape out;
  out.width = width;
  out.heads = heads;
  out.kv_heads = kv_heads;
  out.head_dim = out.head_dim_v = 64;
  out.ffn.dense = 4 * width;
  return out;
}

double crossing(const LayerShape& shape, LinearWork work = LinearWork::kProjections) {
  const LayerGroup group{1, shape};
  const Crossover out = crossover({&group, 1}, work);
  REQUIRE(out.n.has_value());
  return *out.n;
}

}  // namespace

TEST_CASE("crossovers of plain layers are exact", "[cost]") {
  LayerShape shape = plain(768, 12, 12);
  CHECK(crossing(shape) == 1536);
  CHECK(crossing(shape, LinearWork::kProjectionsAndFeedForward) == 4608);
  shape.causal = Causal::kTopLeft;
  CHECK(crossing(shape) == 4 * 768 - 1);
}

TEST_CASE("grouped queries: D (1 + kv/h), whatever the size of a head", "[cost]") {
  LayerShape shape = plain(768, 12, 3);
  CHECK(crossing(shape) == 768 * 1.25);
  shape.head_dim = shape.head_dim_v = 200;  // h d is not D
  CHECK(crossing(shape) == Approx(768 * 1.25).epsilon(1e-14));
  shape.causal = Causal::kBottomRight;
  CHECK(crossing(shape) == Approx(2 * 768 * 1.25 - 1).epsilon(1e-14));
}

TEST_CASE("at the crossover both sides cost the same", "[cost]") {
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft}) {
    for (const Reach& reach : {Reach{}, Reach{900, {}}, Reach{{}, 3000}}) {
      LayerShape shape = plain(768, 12, 3);
      shape.causal = causal;
      shape.reach = reach;
      const LayerGroup groups[] = {{3, shape}, {2, plain(768, 12, 12)}};
      for (const LinearWork work :
           {LinearWork::kProjections, LinearWork::kProjectionsAndFeedForward}) {
        const Crossover found = crossover(groups, work);
        REQUIRE(found.n.has_value());
        const auto difference = [&](std::int64_t n) {
          double out = 0;
          for (const auto& [layers, one] : groups) {
            const LayerCost cost = layer_cost(one, extent_of(one, n, n));
            const Count linear = work == LinearWork::kProjections
                                     ? cost.projection_macs
                                     : cost.projection_macs + cost.ffn_macs;
            out += static_cast<double>(layers * *(cost.attention_macs - linear).value());
          }
          return out;
        };
        CAPTURE(*found.n);
        CHECK(difference(static_cast<std::int64_t>(std::floor(*found.n))) <= 0);
        CHECK(difference(static_cast<std::int64_t>(std::ceil(*found.n))) >= 0);
      }
    }
  }
}

TEST_CASE("attention that never outweighs says why", "[cost]") {
  LayerShape shape = plain(768, 12, 12);
  shape.reach.window = 128;
  const LayerGroup window{1, shape};
  const Crossover none = crossover({&window, 1}, LinearWork::kProjections);
  CHECK_FALSE(none.n.has_value());
  CHECK_FALSE(none.reason.empty());
  shape.reach = {{}, 1000};
  const LayerGroup chunk{1, shape};
  CHECK_FALSE(crossover({&chunk, 1}, LinearWork::kProjections).n.has_value());
  shape.has_attention = false;
  const LayerGroup empty{1, shape};
  CHECK(crossover({&empty, 1}, LinearWork::kProjections).reason == "no attention in it");
}

TEST_CASE("a window crosses where its curve does", "[cost]") {
  LayerShape shape = plain(768, 12, 12);
  shape.reach.window = 1536;  // the plain crossover lies at its very edge
  CHECK(crossing(shape) == 1536);
  shape.reach.window = 1000;  // 1999 n - 999000 = 1536 n
  CHECK(crossing(shape) == Approx(999'000.0 / (1999 - 1536)).epsilon(1e-14));
}

}  // namespace attnlab
