// Streamed statistics against float64 with the full matrix, on every instruction set and team.
#include "analysis/attention_statistics.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "random/fill.h"
#include "support/catch.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// q, k and the mask of a problem, standard normal until something else is put there.
struct Data {
  explicit Data(const Problem& p, std::uint64_t seed = 1) : problem(p) {
    q.resize(static_cast<std::size_t>(p.batch * p.heads * p.nq * p.head_dim));
    k.resize(static_cast<std::size_t>(p.batch * p.kv_heads * p.nk * p.head_dim));
    fill_random(q, {.seed = seed, .stream = 0});
    fill_random(k, {.seed = seed, .stream = 1});
    const MaskShape& shape = p.mask;
    const Index4 sizes{shape.per_batch ? p.batch : 1, shape.per_head ? p.heads : 1,
                       shape.per_query ? p.nq : 1, p.nk};
    mask_stride = row_major_strides(sizes);
    for (int axis = 0; axis < 3; ++axis) {
      if (sizes[static_cast<std::size_t>(axis)] == 1)
        mask_stride[static_cast<std::size_t>(axis)] = 0;
    }
    additive.assign(static_cast<std::size_t>(element_count(sizes)), 0);
    boolean.assign(additive.size(), 1);
  }
  void scale_queries(float factor) {
    for (float& x : q) x *= factor;
  }
  Operands operands() const {
    Operands out;
    out.q = ConstView(q.data(), {problem.batch, problem.heads, problem.nq, problem.head_dim});
    out.k = ConstView(k.data(), {problem.batch, problem.kv_heads, problem.nk, problem.head_dim});
    out.mask.kind = problem.mask.kind;
    if (problem.mask.kind == MaskKind::kBoolean) out.mask.data = boolean.data();
    if (problem.mask.kind == MaskKind::kAdditive) out.mask.data = additive.data();
    if (problem.mask.kind != MaskKind::kNone) out.mask.stride = mask_stride;
    return out;
  }

  Problem problem;
  std::vector<float> q, k, additive;
  std::vector<std::uint8_t> boolean;
  Index4 mask_stride{};
};

// The definitions once more, in the arithmetic of T, with whole rows of weights.
template <class T>
struct FullRow {
  double largest = kNan, smallest = kNan, unscaled = 0, denominator = 0, entropy = 0,
         max_weight = 0, gradient_scale = 0, first_weight = kNan;
  std::int64_t visible = 0, zeros = 0;
};
template <class T>
FullRow<T> full_row(const Data& data, Operator op, std::int64_t b, std::int64_t h, std::int64_t i) {
  const Problem& p = data.problem;
  const Operands x = data.operands();
  std::vector<T> logits;
  std::vector<std::int64_t> keys;
  FullRow<T> out;
  for (std::int64_t j = 0; j < p.nk; ++j) {
    const std::int64_t position = i + p.shift();
    if (p.causal != Causal::kNone && j > position) continue;
    if (op == Operator::kWindow && std::abs(j - position) >= p.window) continue;
    if (x.mask.hides(b, h, i, j)) continue;
    T product = 0;
    for (std::int64_t c = 0; c < p.head_dim; ++c) {
      product += static_cast<T>(x.q.at(b, h, i, c)) * static_cast<T>(x.k.at(b, p.kv_head(h), j, c));
    }
    const T logit =
        static_cast<T>(p.effective_scale()) * product + static_cast<T>(x.mask.bias(b, h, i, j));
    if (std::isinf(logit) && logit < 0) continue;
    logits.push_back(logit);
    keys.push_back(j);
    out.unscaled = std::max(out.unscaled, static_cast<double>(std::abs(product)));
  }
  out.visible = static_cast<std::int64_t>(keys.size());
  if (keys.empty()) return out;
  T largest = logits[0], smallest = logits[0];
  for (const T logit : logits) {
    largest = std::max(largest, logit);
    smallest = std::min(smallest, logit);
  }
  std::vector<T> weights;
  T sum = 0;
  for (const T logit : logits) {
    weights.push_back(p.temperature == 0
                          ? static_cast<T>(logit == largest)
                          : std::exp((logit - largest) / static_cast<T>(p.temperature)));
    sum += weights.back();
  }
  out.largest = static_cast<double>(largest);
  out.smallest = static_cast<double>(smallest);
  out.denominator = static_cast<double>(sum);
  T entropy = 0;
  for (std::size_t a = 0; a < keys.size(); ++a) {
    const T weight = weights[a] / sum;
    if (weight > 0) entropy -= weight * std::log2(weight);
    T others = 0;
    for (std::size_t c = 0; c < keys.size(); ++c) others += c == a ? 0 : weights[c] / sum;
    out.gradient_scale = std::max(out.gradient_scale, static_cast<double>(weight * others));
    out.max_weight = std::max(out.max_weight, static_cast<double>(weight));
    out.zeros += static_cast<double>(weight) < 0x1p-149;
    if (keys[a] == 0) out.first_weight = static_cast<double>(weight);
  }
  out.entropy = static_cast<double>(entropy);
  return out;
}

// Every number of the statistics held against the definitions in float64: within 1e-5 relative plus
// 1e-6 absolute where no |logit| is above 30, beyond that within twice what float32 loses.
void compare(const Data& data, Operator op, const AttentionStatistics& found) {
  const Problem& p = data.problem;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads; ++h) {
      std::int64_t zeros = 0, float_zeros = 0, visible = 0;
      for (std::int64_t i = 0; i < p.nq; ++i) {
        const AttentionRow& row =
            found.rows[static_cast<std::size_t>((b * p.heads + h) * p.nq + i)];
        const auto exact = full_row<double>(data, op, b, h, i);
        const auto rounded = full_row<float>(data, op, b, h, i);
        INFO("batch " << b << " head " << h << " query " << i);
        REQUIRE(row.visible == exact.visible);
        zeros += exact.zeros;
        float_zeros += rounded.zeros;
        visible += exact.visible;
        if (exact.visible == 0) continue;
        const bool is_small = std::max(std::abs(exact.largest), std::abs(exact.smallest)) <= 30;
        const auto near = [&](const char* name, double value, double truth, double float_value) {
          const double strict = 1e-5 * std::abs(truth) + 1e-6;
          const double allowed =
              is_small ? strict : std::max(strict, 2 * std::abs(float_value - truth));
          INFO(name << ": " << value << ", exactly " << truth << ", in float32 " << float_value);
          if (std::isnan(truth)) {
            REQUIRE(std::isnan(value));
          } else {
            REQUIRE(std::abs(value - truth) <= allowed);
          }
        };
        near("largest", row.largest, exact.largest, rounded.largest);
        near("smallest", row.smallest, exact.smallest, rounded.smallest);
        near("unscaled", row.unscaled, exact.unscaled, rounded.unscaled);
        near("denominator", row.denominator, exact.denominator, rounded.denominator);
        near("entropy", row.entropy, exact.entropy, rounded.entropy);
        near("max_weight", row.max_weight, exact.max_weight, rounded.max_weight);
        near("gradient_scale", row.gradient_scale, exact.gradient_scale, rounded.gradient_scale);
        near("first_weight", row.first_weight, exact.first_weight, rounded.first_weight);
      }
      const double share = static_cast<double>(visible);
      const double count =
          static_cast<double>(found.zeros[static_cast<std::size_t>(b * p.heads + h)]);
      const double allowed = std::max(1e-5 * static_cast<double>(zeros) + 1e-6 * share,
                                      2.0 * std::abs(static_cast<double>(float_zeros - zeros)));
      INFO("zeros " << count << ", exactly " << zeros << ", in float32 " << float_zeros);
      REQUIRE(std::abs(count - static_cast<double>(zeros)) <= allowed);
    }
  }
}

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
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
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
