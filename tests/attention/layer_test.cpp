#include "attention/layer.h"

#include <algorithm>
#include <cmath>

#include "attention/reference.h"
#include "attention/registry.h"
#include "base/error.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

using Floats = std::vector<float>;

Floats normals(std::uint64_t seed, std::int64_t count, double deviation, double mean = 0) {
  Floats out(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    out[static_cast<std::size_t>(i)] = static_cast<float>(mean + deviation * normal(seed, i));
  }
  return out;
}

// A layer's weights and inputs, drawn so that activations stay near 1.
struct LayerCase {
  LayerProblem shape;
  Floats q, k, v, o, gain, bias, w1, b1, w2, b2, x, context;

  explicit LayerCase(const LayerProblem& s) : shape(s) {
    const Problem& p = s.attention;
    const std::int64_t m = s.d_model;
    const double in = 1 / std::sqrt(static_cast<double>(m));
    q = normals(1, m * p.heads * p.head_dim, in);
    k = normals(2, m * p.kv_heads * p.head_dim, in);
    v = normals(3, m * p.kv_heads * p.head_dim_v, in);
    const std::int64_t heads = p.heads * p.head_dim_v;
    o = normals(4, heads * m, 1 / std::sqrt(static_cast<double>(heads)));
    gain = normals(5, m, 0.1, 1);
    bias = normals(6, m, 0.1);
    w1 = normals(7, m * s.ffn, in);
    b1 = normals(8, s.ffn, 0.1);
    w2 = normals(9, s.ffn * m, s.ffn == 0 ? 0 : 1 / std::sqrt(static_cast<double>(s.ffn)));
    b2 = normals(10, m, 0.1);
    x = normals(11, p.batch * p.nq * m, 1);
    context = normals(12, p.batch * p.nk * m, 1);
    if (p.nq == p.nk) context = x;
  }
  LayerWeights weights() const {
    return {q.data(),    k.data(),    v.data(),  o.data(),  gain.data(), bias.data(),
            gain.data(), bias.data(), w1.data(), b1.data(), w2.data(),   b2.data()};
  }
  const float* keys_from() const { return shape.ffn > 0 ? x.data() : context.data(); }
};

LayerProblem layer(std::int64_t n, std::int64_t ffn) {
  LayerProblem shape{.attention = self_attention(2, 4, n, 12), .d_model = 40, .ffn = ffn};
  shape.attention.kv_heads = 2;
  shape.attention.head_dim_v = 9;
  shape.attention.window = 20;
  shape.attention.stride = 8;
  shape.attention.features = 16;
  shape.attention.causal = Causal::kTopLeft;
  return shape;
}

}  // namespace

TEST_CASE("multi-head attention and the block are right around every kernel", "[attention]") {
  for (const std::int64_t ffn : {0, 130}) {
    for (const std::int64_t n : {1, 7, 65}) {
      LayerProblem shape = layer(n, ffn);
      if (ffn == 0 && n == 7) shape.attention.nk = 65;  // cross-attention
      const LayerCase c(shape);
      const auto rows = all_rows(shape.attention);
      const std::int64_t size = 2 * n * shape.d_model;
      for (const Kernel* kernel : runnable_kernels()) {
        if (!kernel->supports(shape.attention, nullptr)) continue;
        INFO(label(*kernel) << " n " << n << " ffn " << ffn);
        ThreadTeam team(2), one(1);
        std::vector<double> truth(static_cast<std::size_t>(size));
        Floats plain(truth.size()), out(truth.size(), std::nanf("")), alone(truth.size());
        reference_layer_rows(shape, kernel->op, c.weights(), c.x.data(), c.keys_from(), rows,
                             truth.data(), team);
        textbook_layer_rows(shape, kernel->op, c.weights(), c.x.data(), c.keys_from(), rows,
                            plain.data(), team);
        const Layer layer(*kernel, shape, 2);
        layer.run(c.weights(), c.x.data(), c.keys_from(), out.data(), team);
        Layer(*kernel, shape, 1).run(c.weights(), c.x.data(), c.keys_from(), alone.data(), one);
        CHECK(same_bits(out, alone));
        CHECK(layer.workspace_bytes() == layer_workspace(*kernel, shape, 2));
        double error = 0, textbook = 0, largest = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) {
          REQUIRE(std::isfinite(out[i]));
          error = std::max(error, std::abs(out[i] - truth[i]));
          textbook = std::max(textbook, std::abs(plain[i] - truth[i]));
          largest = std::max(largest, std::abs(truth[i]));
        }
        CHECK(error <= 2 * std::max(textbook, 4 * 0x1p-24 * largest));
        CHECK(largest > 0.1);
      }
    }
  }
}

TEST_CASE("rows of a layer's reference do not depend on which rows are asked for", "[attention]") {
  const LayerProblem shape = layer(30, 50);
  const LayerCase c(shape);
  ThreadTeam team(1);
  std::vector<double> all(2 * 30 * 40), some(2 * 2 * 40);
  reference_layer_rows(shape, Operator::kDense, c.weights(), c.x.data(), c.x.data(),
                       all_rows(shape.attention), all.data(), team);
  const std::int64_t wanted[] = {3, 29};
  reference_layer_rows(shape, Operator::kDense, c.weights(), c.x.data(), c.x.data(), wanted,
                       some.data(), team);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t m = 0; m < 40; ++m) {
        REQUIRE(some[(b * 2 + r) * 40 + m] ==
                all[(b * 30 + static_cast<std::size_t>(wanted[r])) * 40 + m]);
      }
    }
  }
}

TEST_CASE("a layer's multiply-adds are those of its parts", "[attention]") {
  LayerProblem shape{.attention = self_attention(1, 12, 128, 64), .d_model = 768, .ffn = 0};
  const std::int64_t projections = 4 * 128 * 768 * 768, attention = 2 * 128 * 128 * 768;
  CHECK(layer_multiply_adds(shape, Operator::kDense) == projections + attention);
  shape.ffn = 4 * 768;
  CHECK(layer_multiply_adds(shape, Operator::kDense) == 3 * projections + attention);
}

TEST_CASE("a shape that makes no layer is refused", "[attention]") {
  LayerProblem shape = layer(8, 16);
  shape.attention.nk = 9;
  CHECK_THROWS_AS(Layer(*find_kernel("flash"), shape, 1), UserError);
  shape = layer(8, 16);
  shape.attention.dtype = Dtype::kBf16;
  CHECK_THROWS_AS(Layer(*find_kernel("flash"), shape, 1), UserError);
}

}  // namespace attnlab::test
