// Streamed statistics against float64 with the full matrix, on every instruction set and team.
#include "analysis/attention_statistics.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "full_matrix.h"
#include "support/catch.h"

namespace attnlab {
namespace {

using namespace test;

AttentionStatistics streamed(const Data& data, Operator op, int threads = 1,
                             Isa isa = simd_isas().back(), const StatisticsRequest& request = {}) {
  ThreadTeam team(threads);
  Watch watch;
  return streamed_statistics(data.problem, op, data.operands(), request, team, watch, isa);
}

void compare_everywhere(const Data& data, Operator op = Operator::kDense) {
  for (const Isa isa : simd_isas()) {
    INFO(isa_name(isa));
    compare(data, op, streamed(data, op, 1, isa));
  }
  ThreadTeam team(2);
  Watch watch;
  INFO("plain");
  compare(data, op, plain_statistics(data.problem, op, data.operands(), {}, team, watch));
}

Problem problem_of(std::int64_t nq, std::int64_t nk, std::int64_t d) {
  Problem p;
  p.nq = nq;
  p.nk = nk;
  p.head_dim = d;
  return p;
}

TEST_CASE("streamed statistics equal the full matrix for odd sizes", "[analysis]") {
  for (const std::int64_t nq : {1, 3, 7, 63, 65}) {
    for (const std::int64_t nk : {1, 3, 7, 63, 65, 129, 300}) {
      for (const std::int64_t d : {1, 5, 72, 80}) {
        DYNAMIC_SECTION("nq " << nq << " nk " << nk << " d " << d) {
          compare_everywhere(Data(problem_of(nq, nk, d)));
        }
      }
    }
  }
}

TEST_CASE("streamed statistics know causality, windows and grouped heads", "[analysis]") {
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const auto& [nq, nk] : {std::pair{65, 65}, {7, 130}, {130, 7}}) {
      Problem p = problem_of(nq, nk, 16);
      p.causal = causal;
      p.batch = 2;
      p.heads = 4;
      p.kv_heads = 2;
      compare_everywhere(Data(p));
      for (const std::int64_t window : {1, 5, 40}) {
        p.window = window;
        compare_everywhere(Data(p), Operator::kWindow);
      }
    }
  }
}

TEST_CASE("streamed statistics know masks", "[analysis]") {
  for (const MaskKind kind : {MaskKind::kBoolean, MaskKind::kAdditive}) {
    for (const bool per_head : {false, true}) {
      for (const bool per_query : {false, true}) {
        Problem p = problem_of(33, 140, 24);
        p.heads = 2;
        p.kv_heads = 1;
        p.mask = {.kind = kind, .per_head = per_head, .per_query = per_query};
        Data data(p);
        for (std::size_t i = 0; i < data.additive.size(); ++i) {
          const bool hidden = i * 2654435761u % 7 < 3 || (per_query && i / 140 % 33 == 4);
          data.boolean[i] = !hidden;
          data.additive[i] = hidden ? -kInf : 0.1f * static_cast<float>(i % 11);
        }
        compare_everywhere(data);
        data.problem.causal = Causal::kTopLeft;
        compare_everywhere(data);
      }
    }
  }
}

TEST_CASE("streamed statistics know scale and temperature", "[analysis]") {
  for (const double scale : {0.125, 1.0, -0.3, 0.0, 1e-30, 3.0}) {
    for (const double temperature : {1.0, 0.25, 0.0, 7.0}) {
      Problem p = problem_of(30, 131, 8);
      p.scale = scale;
      p.temperature = temperature;
      INFO("scale " << scale << " temperature " << temperature);
      compare_everywhere(Data(p));
      p.mask.kind = MaskKind::kAdditive;
      Data data(p);
      for (std::size_t i = 0; i < data.additive.size(); ++i) {
        data.additive[i] = static_cast<float>(i % 5);
      }
      compare_everywhere(data);
    }
  }
}

TEST_CASE("streamed statistics are exact enough for logits up to 30", "[analysis]") {
  for (const std::int64_t d : {64, 128, 256}) {
    Problem p = problem_of(100, 1000, d);
    Data data(p, 5);
    data.scale_queries(6);
    compare_everywhere(data);
  }
}

TEST_CASE("streamed statistics bear large logits, equal ones and single ones", "[analysis]") {
  SECTION("logits of 1e4") {
    Data data(problem_of(40, 200, 64));
    data.scale_queries(3000);
    compare_everywhere(data);
  }
  SECTION("all equal") {
    Data data(problem_of(40, 200, 64));
    std::fill(data.k.begin(), data.k.end(), 0.25f);
    compare_everywhere(data);
    const AttentionRow row = streamed(data, Operator::kDense).rows[3];
    CHECK(row.entropy == std::log2(200.0));
    CHECK(row.denominator == 200);
  }
  SECTION("one-hot rows") {
    Data data(problem_of(40, 200, 40));
    for (std::int64_t j = 0; j < 200; ++j) {
      for (std::int64_t c = 0; c < 40; ++c) {
        data.k[static_cast<std::size_t>(j * 40 + c)] = j == c ? 1.0f : 0.0f;
        if (j < 40) data.q[static_cast<std::size_t>(j * 40 + c)] = j == c ? 1e4f : 0.0f;
      }
    }
    compare_everywhere(data);
    CHECK(streamed(data, Operator::kDense).zeros[0] == 40 * 199);
  }
  SECTION("a weight of nearly 1 leaves the others their digits") {
    Problem p = problem_of(1, 3, 1);
    p.scale = 1.0;
    Data data(p);
    data.q = {1};
    data.k = {20, 0, 0};
    const AttentionRow row = streamed(data, Operator::kDense).rows[0];
    CHECK(row.gradient_scale == Approx(2 * std::exp(-20.0)).epsilon(1e-6));
  }
  SECTION("minus zero and denormals") {
    Data data(problem_of(20, 90, 8));
    for (std::size_t i = 0; i < data.k.size(); ++i) data.k[i] = i % 3 == 0 ? -0.0f : 1e-40f;
    compare_everywhere(data);
  }
  SECTION("the maximum in the last of many blocks") {
    Data data(problem_of(26, 3000, 4));
    for (int c = 0; c < 4; ++c) data.k[static_cast<std::size_t>(2999 * 4 + c)] *= 20;
    compare_everywhere(data);
  }
}

TEST_CASE("a NaN or Inf spoils exactly the rows that see it", "[analysis]") {
  for (const float bad : {static_cast<float>(kNan), kInf}) {
    for (const Isa isa : simd_isas()) {
      Problem p = problem_of(70, 70, 16);
      p.causal = Causal::kTopLeft;
      Data data(p);
      const auto good = streamed(data, Operator::kDense, 1, isa);
      data.k[30 * 16 + 3] = bad;
      const auto found = streamed(data, Operator::kDense, 1, isa);
      for (std::size_t i = 0; i < 70; ++i) {
        INFO(isa_name(isa) << " query " << i);
        const float q = data.q[i * 16 + 3];
        if (i < 30) {
          CHECK(found.rows[i].is_finite());
          CHECK(found.rows[i].entropy == good.rows[i].entropy);
        } else if (bad == kInf && q < 0) {  // a logit of -inf: the key is hidden
          CHECK(found.rows[i].visible == static_cast<std::int64_t>(i));
          CHECK(found.rows[i].is_finite());
        } else {
          CHECK_FALSE(found.rows[i].is_finite());
          CHECK(std::isnan(found.rows[i].largest));
        }
      }
    }
  }
}

TEST_CASE("columns and map are the sums of the weights", "[analysis]") {
  for (const double temperature : {1.0, 0.0}) {
    Problem p = problem_of(131, 150, 12);
    p.heads = 2;
    p.causal = Causal::kBottomRight;
    p.temperature = temperature;
    Data data(p);
    const StatisticsRequest request{.columns = true, .map_cells = 9};
    ThreadTeam team(2);
    Watch watch;
    std::vector<AttentionStatistics> all;
    for (const Isa isa : simd_isas())
      all.push_back(streamed(data, Operator::kDense, 2, isa, request));
    all.push_back(plain_statistics(p, Operator::kDense, data.operands(), request, team, watch));
    std::vector<double> weights(150), columns(2 * 150, 0), queries(2 * 150, 0), map(2 * 9 * 9, 0);
    REQUIRE(map_cell_size(131, 9) == 15);
    REQUIRE(map_cell_count(131, 9) == 9);
    REQUIRE(map_cell_size(150, 9) == 17);
    REQUIRE(map_cell_count(150, 9) == 9);
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t i = 0; i < 131; ++i) {
        REQUIRE(attention_weights(p, Operator::kDense, data.operands(), 0, h, i, weights));
        double sum = 0;
        for (std::int64_t j = 0; j < 150; ++j) {
          const double weight = weights[static_cast<std::size_t>(j)];
          sum += weight;
          columns[static_cast<std::size_t>(h * 150 + j)] += weight;
          queries[static_cast<std::size_t>(h * 150 + j)] += j <= i + 19;
          map[static_cast<std::size_t>((h * 9 + i / 15) * 9 + j / 17)] += weight;
        }
        CHECK(sum == Approx(1).epsilon(1e-12));
      }
    }
    for (const AttentionStatistics& found : all) {
      REQUIRE(found.column_weights.size() == columns.size());
      REQUIRE(found.map.size() == map.size());
      for (std::size_t j = 0; j < columns.size(); ++j) {
        CHECK(found.column_weights[j] == Approx(columns[j]).epsilon(1e-5).margin(1e-6));
        CHECK(found.column_queries[j] == queries[j]);
      }
      for (std::size_t c = 0; c < map.size(); ++c) {
        CHECK(found.map[c] == Approx(map[c]).epsilon(1e-5).margin(1e-6));
      }
    }
  }
}

bool same_bits(const AttentionStatistics& a, const AttentionStatistics& b) {
  const auto same = [](const auto& x, const auto& y) {
    const std::size_t bytes = x.size() * sizeof(x[0]);
    return x.size() == y.size() && (bytes == 0 || std::memcmp(x.data(), y.data(), bytes) == 0);
  };
  return same(a.rows, b.rows) && same(a.zeros, b.zeros) &&
         same(a.column_weights, b.column_weights) && same(a.column_queries, b.column_queries) &&
         same(a.map, b.map);
}

TEST_CASE("streamed statistics have the same bits for any team", "[analysis]") {
  for (const Isa isa : simd_isas()) {
    Problem p = problem_of(300, 310, 40);
    p.heads = 3;
    p.causal = Causal::kBottomRight;
    Data data(p);
    data.scale_queries(60);  // so that some weights are zeros
    const StatisticsRequest request{.columns = true, .map_cells = 11};
    const auto one = streamed(data, Operator::kDense, 1, isa, request);
    CHECK(one.zeros[0] > 0);
    CHECK(same_bits(one, streamed(data, Operator::kDense, 2, isa, request)));
    CHECK(same_bits(one, streamed(data, Operator::kDense, 3, isa, request)));
    const auto alone = streamed(data, Operator::kDense, 3, isa);
    CHECK(std::memcmp(one.rows.data(), alone.rows.data(), one.rows.size() * sizeof(AttentionRow)) ==
          0);
    CHECK(one.zeros == alone.zeros);
  }
}

TEST_CASE("half types are read as they are", "[analysis]") {
  for (const Dtype dtype : {Dtype::kBf16, Dtype::kF16}) {
    Problem p = problem_of(37, 150, 20);
    Data data(p);
    std::vector<std::uint16_t> q(data.q.size()), k(data.k.size());
    const auto round = [&](std::vector<float>& from, std::vector<std::uint16_t>& to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        store_element(to.data(), dtype, static_cast<std::int64_t>(i), double{from[i]});
        from[i] = static_cast<float>(load_element(to.data(), dtype, static_cast<std::int64_t>(i)));
      }
    };
    round(data.q, q);
    round(data.k, k);
    Operands operands = data.operands();
    operands.q = ConstView(reinterpret_cast<const std::byte*>(q.data()), dtype, operands.q.shape,
                           operands.q.stride);
    operands.k = ConstView(reinterpret_cast<const std::byte*>(k.data()), dtype, operands.k.shape,
                           operands.k.stride);
    p.dtype = dtype;
    ThreadTeam team(1);
    Watch watch;
    for (const Isa isa : simd_isas()) {
      const auto half = streamed_statistics(p, Operator::kDense, operands, {}, team, watch, isa);
      CHECK(same_bits(half, streamed(data, Operator::kDense, 1, isa)));
    }
  }
}

TEST_CASE("work that is stopped ends soon", "[analysis]") {
  struct Stopped : Watch {
    bool stopped() const override { return true; }
  } watch;
  const Data data(problem_of(300, 300, 8));
  ThreadTeam team(2);
  CHECK_NOTHROW(
      streamed_statistics(data.problem, Operator::kDense, data.operands(), {}, team, watch));
}

}  // namespace
}  // namespace attnlab
