// Counts of a layer against figures worked out by hand, and the laws between them.
#include "cost/layer.h"

#include "cost/model.h"
#include "support/catch.h"

namespace attnlab {
namespace {

std::int64_t number(const Count& count) {
  REQUIRE(count.value().has_value());
  return *count.value();
}

LayerCost cost_at(const LayerShape& shape, std::int64_t nq, std::int64_t nk) {
  return layer_cost(shape, extent_of(shape, nq, nk));
}

LayerShape heads_of(std::int64_t heads, std::int64_t size) {
  LayerShape out;
  out.width = heads * size;
  out.heads = out.kv_heads = heads;
  out.head_dim = out.head_dim_v = size;
  out.ffn.dense = 4 * out.width;
  return out;
}

// Latent attention as DeepSeek-V3 has it.
LayerShape latent_shape() {
  LayerShape out = heads_of(128, 192);
  out.width = 7168;
  out.head_dim_v = 128;
  out.latent = LatentShape{512, 64};
  out.query_rank = 1536;
  return out;
}

std::vector<LayerShape> shapes() {
  LayerShape grouped = heads_of(8, 16);
  grouped.kv_heads = 2;
  grouped.head_dim_v = 24;
  LayerShape window = grouped;
  window.reach.window = 5;
  LayerShape chunk = grouped;
  chunk.reach.chunk = 4;
  LayerShape experts = grouped;
  experts.ffn = {true, 32, 64, 8, 2};
  LayerShape gated = grouped;
  gated.gate = 192;
  LayerShape sharing = grouped;
  sharing.shares_keys = true;
  LayerShape ranks = grouped;
  ranks.query_rank = 8;
  ranks.output_rank = 4;
  ranks.output_groups = 2;
  LayerShape without = grouped;
  without.has_attention = false;
  return {heads_of(3, 5), grouped, window, chunk,   experts,
          gated,          sharing, ranks,  without, latent_shape()};
}

}  // namespace

TEST_CASE("the lesson's layer: 4 n D^2, 2 n^2 D, 8 n D^2", "[cost]") {
  const LayerCost cost = cost_at(heads_of(12, 64), 1024, 1024);
  CHECK(number(cost.projection_macs) == 4 * 1024 * 768 * 768LL);
  CHECK(number(cost.attention_macs) == 2 * 1024 * 1024 * 768LL);
  CHECK(number(cost.ffn_macs) == 8 * 1024 * 768 * 768LL);
  CHECK(number(cost.score_bytes) == 12 * 1024 * 1024 * 4LL);
  CHECK(number(cost.kv_cache_bytes_per_token) == 2 * 768 * 4);
}

TEST_CASE("floating-point operations of the two contractions", "[cost]") {
  CHECK(2 * number(cost_at(heads_of(12, 64), 64, 64).attention_macs) == 12'582'912);
  LayerShape batch = heads_of(16, 64);
  batch.batch = 2;
  CHECK(2 * number(cost_at(batch, 1024, 1024).attention_macs) == 8'589'934'592);
  LayerShape one = heads_of(1, 8);
  one.head_dim_v = 16;
  one.causal = Causal::kBottomRight;
  CHECK(number(cost_at(one, 4, 10).pairs) == 34);
  CHECK(number(cost_at(one, 4, 10).attention_macs) == 816);
}

TEST_CASE("projections of grouped, latent and shared keys", "[cost]") {
  LayerShape llama3 = heads_of(64, 128);
  llama3.kv_heads = 8;
  CHECK(number(cost_at(llama3, 1024, 1024).projection_macs) == 154'618'822'656);
  const LayerCost latent = cost_at(latent_shape(), 1024, 1024);
  CHECK(number(latent.projection_macs) == 191'595'806'720);
  CHECK(number(latent.attention_macs) == 42'949'672'960);
  CHECK(number(latent.kv_cache_bytes_per_token) == 4 * (512 + 64));
  LayerShape sharing = heads_of(4, 8);
  sharing.shares_keys = true;
  CHECK(number(cost_at(sharing, 10, 10).projection_macs) == 10 * 2 * 32 * 32);
  CHECK(number(cost_at(sharing, 10, 10).kv_cache_bytes_per_token) == 0);
  LayerShape cross = heads_of(4, 8);
  cross.is_cross = true;
  cross.source_width = 48;
  CHECK(number(cost_at(cross, 10, 7).projection_macs) == 10 * 2 * 32 * 32 + 7 * 2 * 48 * 32);
  cross.causal = Causal::kTopLeft;  // means nothing between two sequences
  CHECK(number(cost_at(cross, 10, 7).pairs) == 70);
}

TEST_CASE("gates and thin projections add their weights", "[cost]") {
  LayerShape shape = heads_of(4, 8);
  const std::int64_t plain = number(projection_macs_per_token(shape));
  CHECK(plain == 4 * 32 * 32);
  shape.gate = 32;
  CHECK(number(projection_macs_per_token(shape)) == plain + 32 * 32);
  shape.gate = 0;
  shape.query_rank = 8;
  CHECK(number(projection_macs_per_token(shape)) == 3 * 32 * 32 + 2 * 32 * 8);
  shape.output_rank = 2;
  shape.output_groups = 4;
  CHECK(number(projection_macs_per_token(shape)) == 2 * 32 * 32 + 2 * 32 * 8 + 32 * 2 + 4 * 2 * 32);
}

TEST_CASE("experts: active, shared, in a narrower space", "[cost]") {
  LayerShape shape = heads_of(4, 8);
  shape.ffn = {true, 10, 20, 8, 2};
  CHECK(number(ffn_macs_per_token(shape)) == 3 * 32 * (10 + 2 * 20));
  CHECK(number(ffn_macs_per_token_all_experts(shape)) == 3 * 32 * (10 + 8 * 20));
  shape.ffn.expert_input = 16;
  CHECK(number(ffn_macs_per_token(shape)) == 3 * (32 * 10 + 16 * 20 * 2) + 2 * 32 * 16);
}

TEST_CASE("attention does not depend on the heads of keys and values", "[cost]") {
  LayerShape shape = heads_of(12, 16);
  const std::int64_t attention = number(cost_at(shape, 50, 70).attention_macs);
  for (const std::int64_t kv_heads : {1, 2, 3, 4, 6, 12}) {
    shape.kv_heads = kv_heads;
    CHECK(number(cost_at(shape, 50, 70).attention_macs) == attention);
  }
}

TEST_CASE("a causal decoding step is the difference of two causal prefills", "[cost]") {
  for (LayerShape shape : shapes()) {
    shape.causal = Causal::kBottomRight;
    shape.batch = 3;
    for (const std::int64_t n : {2, 3, 4, 5, 6, 9, 64}) {
      const LayerCost now = cost_at(shape, n, n), before = cost_at(shape, n - 1, n - 1);
      const LayerCost step = layer_cost(shape, decode_extent(shape, n));
      CAPTURE(n);
      CHECK(number(step.attention_macs) ==
            number(now.attention_macs) - number(before.attention_macs));
      CHECK(number(step.projection_macs) ==
            number(now.projection_macs) - number(before.projection_macs));
      CHECK(number(step.ffn_macs) == number(now.ffn_macs) - number(before.ffn_macs));
      CHECK(number(step.pairs) == number(now.pairs) - number(before.pairs));
    }
  }
}

TEST_CASE("parts sum to the total", "[cost]") {
  for (const LayerShape& shape : shapes()) {
    const LayerCost cost = cost_at(shape, 7, 11);
    Count macs, bytes;
    for (const LayerPart& part : cost.parts) {
      macs = macs + part.macs;
      bytes = bytes + part.bytes;
    }
    CHECK(number(macs) == number(cost.macs()));
    CHECK(number(bytes) == number(cost.bytes));
    CHECK(number(projection_macs_per_token(shape)) * 7 ==
          number(cost_at(shape, 7, 7).projection_macs));
  }
}

TEST_CASE("a window of all keys costs what no window costs", "[cost]") {
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    LayerShape plain = heads_of(4, 8);
    plain.causal = causal;
    LayerShape window = plain;
    for (const std::int64_t size : {20, 21, 1000}) {
      window.reach.window = size;
      CHECK(number(cost_at(window, 20, 20).attention_macs) ==
            number(cost_at(plain, 20, 20).attention_macs));
    }
    window.reach.window = 19;
    CHECK(number(cost_at(window, 20, 20).attention_macs) <=
          number(cost_at(plain, 20, 20).attention_macs));
  }
}

TEST_CASE("latent attention decoded on its compressed cache", "[cost]") {
  const LayerShape shape = latent_shape();
  const DecodeMacs absorbed = absorbed_decode(shape, 1000);
  CHECK(number(absorbed.attention) == 1000 * 139'264);
  // Q, the way down, and O as before; the expansions now take queries down and sums back.
  CHECK(number(absorbed.projection) ==
        7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 128 * 128 * 512 * 2 + 128 * 128 * 7168);
  const LayerCost step = layer_cost(shape, decode_extent(shape, 1000));
  const DecodeMacs expanding = expanding_decode(shape, 1000);
  CHECK(number(expanding.attention) == number(step.attention_macs));
  CHECK(number(expanding.projection) ==
        number(step.projection_macs) + 999LL * 128 * 512 * (128 + 128));
}

TEST_CASE("the cache keeps no more tokens than a window reaches", "[cost]") {
  LayerShape shape = heads_of(4, 8);
  CHECK(cached_tokens(shape, 100) == 100);
  shape.reach.window = 30;
  CHECK(cached_tokens(shape, 100) == 30);
  shape.reach = {{}, 40};
  CHECK(cached_tokens(shape, 100) == 40);
}

TEST_CASE("counts that pass 64 bits are no value", "[cost]") {
  LayerShape shape = heads_of(1'000'000, 1'000);
  CHECK(number(cost_at(shape, 1, 1).projection_macs) == 4'000'000'000'000'000'000);
  CHECK_FALSE(cost_at(shape, 3, 3).projection_macs.value().has_value());
  CHECK_FALSE(cost_at(shape, 3, 3).macs().value().has_value());
}

}  // namespace attnlab
