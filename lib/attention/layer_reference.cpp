// The layers by their definitions, in float64 and in plain float32 (layer.h has the formulas).
#include <cmath>
#include <vector>

#include "attention/layer.h"
#include "attention/reference.h"

namespace attnlab {
namespace {

// T is the type of every product and sum.
template <class T>
class PlainLayer {
 public:
  PlainLayer(const LayerProblem& shape, Operator op, const LayerWeights& weights, ThreadTeam& team)
      : shape_(shape), op_(op), weights_(weights), team_(team) {}

  void rows(const float* x, const float* context, std::span<const std::int64_t> rows,
            const MaskView& mask, T* out) {
    const Problem& p = shape_.attention;
    const std::int64_t model = shape_.d_model, wanted = std::ssize(rows);
    const bool block = shape_.ffn > 0;
    std::vector<T> keys = widened(context, p.batch * p.nk * model);
    std::vector<T> queries = widened(x, p.batch * p.nq * model);
    if (block) {
      normalise(keys, weights_.norm1_gain, weights_.norm1_bias);
      normalise(queries, weights_.norm1_gain, weights_.norm1_bias);
    }
    const std::int64_t kv = p.kv_heads * p.head_dim;
    const std::vector<T> q = product(queries, model, weights_.w_q, p.heads * p.head_dim);
    const std::vector<T> k = product(keys, model, weights_.w_k, kv);
    const std::vector<T> v = product(keys, model, weights_.w_v, p.kv_heads * p.head_dim_v);
    std::vector<T> heads(static_cast<std::size_t>(p.batch * wanted * p.heads * p.head_dim_v));
    Operands operands;
    operands.q = bnhd_view(q.data(), p.batch, p.heads, p.nq, p.head_dim);
    operands.k = bnhd_view(k.data(), p.batch, p.kv_heads, p.nk, p.head_dim);
    operands.v = bnhd_view(v.data(), p.batch, p.kv_heads, p.nk, p.head_dim_v);
    operands.mask = mask;
    const View to = bnhd_view(heads.data(), p.batch, p.heads, wanted, p.head_dim_v);
    if constexpr (std::is_same_v<T, double>) {
      reference_rows(p, op_, operands, rows, to, team_);
    } else {
      textbook_rows(p, op_, operands, rows, to, team_);
    }
    std::vector<T> result = product(heads, p.heads * p.head_dim_v, weights_.w_o, model);
    if (block) {
      for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t r = 0; r < wanted; ++r) {
          const float* const row = x + (b * p.nq + rows[static_cast<std::size_t>(r)]) * model;
          for (std::int64_t c = 0; c < model; ++c)
            at(result, (b * wanted + r) * model + c) += row[c];
        }
      }
      feed_forward(result);
    }
    std::copy(result.begin(), result.end(), out);
  }

 private:
  static T& at(std::vector<T>& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; }

  static std::vector<T> widened(const float* x, std::int64_t n) { return {x, x + n}; }

  // rows [n, inner] w [inner, width]; sums run over inner, row by row on the team.
  std::vector<T> product(const std::vector<T>& rows, std::int64_t inner, const float* w,
                         std::int64_t width) {
    const std::int64_t n = std::ssize(rows) / inner;
    std::vector<T> out(static_cast<std::size_t>(n * width));
    team_.run(n, [&](std::int64_t i, int) {
      T* const to = out.data() + i * width;
      for (std::int64_t m = 0; m < inner; ++m) {
        const T x = rows[static_cast<std::size_t>(i * inner + m)];
        for (std::int64_t c = 0; c < width; ++c) to[c] += x * static_cast<T>(w[m * width + c]);
      }
    });
    return out;
  }

  void normalise(std::vector<T>& rows, const float* gain, const float* bias) const {
    const std::int64_t model = shape_.d_model;
    for (std::int64_t first = 0; first < std::ssize(rows); first += model) {
      T mean = 0, variance = 0;
      for (std::int64_t c = 0; c < model; ++c) mean += at(rows, first + c);
      mean /= static_cast<T>(model);
      for (std::int64_t c = 0; c < model; ++c) {
        variance += (at(rows, first + c) - mean) * (at(rows, first + c) - mean);
      }
      variance /= static_cast<T>(model);
      const T root = std::sqrt(variance + static_cast<T>(kNormEpsilon));
      for (std::int64_t c = 0; c < model; ++c) {
        T& x = at(rows, first + c);
        x = (x - mean) / root * gain[c] + bias[c];
      }
    }
  }

  void feed_forward(std::vector<T>& rows) {
    std::vector<T> normed = rows;
    normalise(normed, weights_.norm2_gain, weights_.norm2_bias);
    std::vector<T> hidden = product(normed, shape_.d_model, weights_.w_1, shape_.ffn);
    for (std::int64_t i = 0; i < std::ssize(hidden); ++i) {
      const T x = at(hidden, i) + weights_.b_1[i % shape_.ffn];
      at(hidden, i) = x * std::erfc(-x / std::sqrt(T{2})) / 2;
    }
    const std::vector<T> added = product(hidden, shape_.ffn, weights_.w_2, shape_.d_model);
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      at(rows, i) += added[static_cast<std::size_t>(i)] + weights_.b_2[i % shape_.d_model];
    }
  }

  const LayerProblem& shape_;
  Operator op_;
  const LayerWeights& weights_;
  ThreadTeam& team_;
};

}  // namespace

void reference_layer_rows(const LayerProblem& shape, Operator op, const LayerWeights& weights,
                          const float* x, const float* context, std::span<const std::int64_t> rows,
                          double* out, ThreadTeam& team, const MaskView& mask) {
  PlainLayer<double>(shape, op, weights, team).rows(x, context, rows, mask, out);
}

void textbook_layer_rows(const LayerProblem& shape, Operator op, const LayerWeights& weights,
                         const float* x, const float* context, std::span<const std::int64_t> rows,
                         float* out, ThreadTeam& team, const MaskView& mask) {
  PlainLayer<float>(shape, op, weights, team).rows(x, context, rows, mask, out);
}

}  // namespace attnlab
