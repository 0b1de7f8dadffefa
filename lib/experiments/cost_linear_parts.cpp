#include "experiments/cost_linear_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "attention/project.h"
#include "attention/simd/row_ops.h"
#include "random/fill.h"

namespace attnlab {
namespace {

constexpr std::int64_t kDrawn = std::int64_t{1} << 20;  // numbers; more repeat them
constexpr std::int64_t kActivationRows = 16;            // of a task

// Normal numbers of a deviation that keeps products of `rows` of them near 1.
void fill(float* numbers, std::int64_t count, std::int64_t rows, std::uint64_t stream) {
  const std::int64_t drawn = std::min(count, kDrawn);
  const std::span<float> first(numbers, static_cast<std::size_t>(drawn));
  fill_random(first, {.seed = 1, .stream = stream});
  const auto deviation = static_cast<float>(1 / std::sqrt(static_cast<double>(rows)));
  for (float& number : first) number *= deviation;
  for (std::int64_t done = drawn; done < count;) {
    const std::int64_t next = std::min(done, count - done);
    std::memcpy(numbers + done, numbers, static_cast<std::size_t>(next) * sizeof(float));
    done += next;
  }
}

}  // namespace

std::string LinearParts::why_not(const LayerShape& s) {
  if (s.latent) return "latent attention is counted, not measured";
  if (s.query_rank > 0 || s.output_rank > 0) return "low-rank projections are not measured";
  if (s.ffn.expert_input > 0) return "experts in a narrower space are not measured";
  return "";
}

LinearParts::Shapes LinearParts::shapes_of(const LayerShape& s, const Extent& e) {
  Shapes out;
  const std::int64_t queries = s.batch * e.nq, keys = s.batch * e.new_keys;
  const std::int64_t source = s.source_width > 0 ? s.source_width : s.width;
  const auto add = [&](std::vector<Product>& to, Product product) {
    product.offset = out.weights;
    out.weights += product.in * product.out;
    out.widest_in = std::max(out.widest_in, product.in);
    out.widest_out = std::max(out.widest_out, product.out);
    out.rows = std::max(out.rows, product.rows);
    to.push_back(product);
  };
  if (s.has_attention) {
    const std::int64_t step_keys = s.is_cross ? 0 : s.batch;  // a cross-attention's lie cached
    add(out.projections, {"W_Q", s.width, s.heads * s.head_dim, queries, s.batch});
    if (!s.shares_keys) {
      add(out.projections, {"W_K", source, s.kv_heads * s.head_dim, keys, step_keys});
      if (!s.value_is_key) {
        add(out.projections, {"W_V", source, s.kv_heads * s.head_dim_v, keys, step_keys});
      }
    }
    if (s.gate > 0) add(out.projections, {"W_gate", s.width, s.gate, queries, s.batch});
    add(out.projections, {"W_O", s.heads * s.head_dim_v, s.width, queries, s.batch});
  }
  const auto add_block = [&](std::int64_t width) {
    if (width == 0) return;
    add(out.ups, {"W_1", s.width, width, queries, s.batch});
    if (s.ffn.gated) add(out.ups, {"W_3", s.width, width, queries, s.batch});
    add(out.downs, {"W_2", width, s.width, queries, s.batch});
  };
  add_block(s.ffn.dense);
  if (s.ffn.experts > 0) {
    for (std::int64_t i = 0; i < s.ffn.active_experts; ++i) add_block(s.ffn.expert);
  }
  return out;
}

std::int64_t LinearParts::weights(const LayerShape& shape) {
  return shapes_of(shape, {1, 1, 1}).weights;
}

double LinearParts::bytes(const LayerShape& shape, const Extent& extent, std::int64_t copies) {
  const Shapes shapes = shapes_of(shape, extent);
  const auto bytes_of = [](std::int64_t a, std::int64_t b) {
    return 4.0 * static_cast<double>(a) * static_cast<double>(b);
  };
  return bytes_of(shapes.weights, copies) + bytes_of(shapes.rows, shapes.widest_in) +
         2 * bytes_of(shapes.rows, shapes.widest_out);
}

LinearParts::LinearParts(const LayerShape& shape, const Extent& extent, std::int64_t copies)
    : shapes_(shapes_of(shape, extent)),
      gated_(shape.ffn.gated),
      copies_(copies),
      weights_(4 * shapes_.weights * copies),
      in_(4 * shapes_.rows * shapes_.widest_in),
      out_(4 * shapes_.rows * shapes_.widest_out),
      other_(4 * shapes_.rows * shapes_.widest_out) {
  use_one_blas_thread();
  fill(weights_.as<float>(), shapes_.weights * copies, shape.width, 1);
  fill(in_.as<float>(), shapes_.rows * shapes_.widest_in, 1, 2);
}

void LinearParts::apply(const Product& product, std::int64_t rows, std::int64_t copy,
                        const float* from, float* to, ThreadTeam& team) const {
  if (rows == 0) return;
  project({from, rows, product.in, product.in},
          {weights_of(product, copy), product.in, product.out, product.out}, 0.0f,
          {to, rows, product.out, product.out}, team);
}

void LinearParts::apply_projections(bool step, std::int64_t copy, ThreadTeam& team) const {
  for (const Product& product : shapes_.projections) {
    apply(product, step ? product.token_rows : product.rows, copy, in_.as<float>(),
          out_.as<float>(), team);
  }
}

void LinearParts::apply_feed_forward(bool step, std::int64_t copy, ThreadTeam& team) const {
  const std::size_t ups = gated_ ? 2 : 1;
  for (std::size_t block = 0; block < shapes_.downs.size(); ++block) {
    const Product& up = shapes_.ups[block * ups];
    const std::int64_t rows = step ? up.token_rows : up.rows;
    apply(up, rows, copy, in_.as<float>(), out_.as<float>(), team);
    if (gated_) {
      apply(shapes_.ups[block * ups + 1], rows, copy, in_.as<float>(), other_.as<float>(), team);
    }
    const std::int64_t tasks = (rows + kActivationRows - 1) / kActivationRows;
    team.run(tasks, [&](std::int64_t task, int) {
      const std::int64_t first = task * kActivationRows * up.out;
      const std::int64_t end = std::min(rows, (task + 1) * kActivationRows) * up.out;
      float* const hidden = out_.as<float>();
      gelu_row(hidden + first, end - first);
      if (!gated_) return;
      const float* const factor = other_.as<float>();
      for (std::int64_t i = first; i < end; ++i) hidden[i] *= factor[i];
    });
    apply(shapes_.downs[block], rows, copy, out_.as<float>(), other_.as<float>(), team);
  }
}

void LinearParts::projections(ThreadTeam& team) { apply_projections(false, 0, team); }

void LinearParts::feed_forward(ThreadTeam& team) { apply_feed_forward(false, 0, team); }

void LinearParts::token(ThreadTeam& team) {
  apply_projections(true, next_copy_, team);
  apply_feed_forward(true, next_copy_, team);
  next_copy_ = (next_copy_ + 1) % copies_;
}

std::string LinearParts::mistake(ThreadTeam& team) {
  constexpr std::int64_t kChecked = 16;
  const auto check = [&](const Product& product) -> std::string {
    apply(product, product.rows, 0, in_.as<float>(), out_.as<float>(), team);
    const float* const w = weights_of(product, 0);
    for (std::int64_t n = 0; n < kChecked; ++n) {
      const std::int64_t i = (n * 7919 + product.rows - 1) % product.rows;
      const std::int64_t j = (n * 6101 + product.out - 1) % product.out;
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < product.in; ++k) {
        const double term = static_cast<double>(in_.as<float>()[i * product.in + k]) *
                            static_cast<double>(w[k * product.out + j]);
        sum += term;
        size += std::abs(term);
      }
      const double found = out_.as<float>()[i * product.out + j];
      const double allowed = 0x1p-24 * static_cast<double>(product.in + 1) * size;
      if (std::abs(found - sum) <= allowed) continue;  // false for NaN
      return fmt::format("x {} [{}, {}] is {}, not {}", product.name, i, j, found, sum);
    }
    return "";
  };
  for (const auto* products : {&shapes_.projections, &shapes_.ups, &shapes_.downs}) {
    for (const Product& product : *products) {
      std::string found = product.rows > 0 ? check(product) : "";
      if (!found.empty()) return found;
    }
  }
  return "";
}

}  // namespace attnlab
