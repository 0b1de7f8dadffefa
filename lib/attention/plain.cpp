#include "attention/plain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/pattern.h"
#include "attention/scaling.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr std::int64_t kTaskRows = 32;

template <class T>
T widened(T value) {
  return value;
}
float widened(Bf16 value) { return to_float(value); }
float widened(F16 value) { return to_float(value); }

// Calls body with a null pointer whose type is the element's.
template <class Body>
void with_element_type(Dtype dtype, Body&& body) {
  switch (dtype) {
    case Dtype::kF32:
      return body(static_cast<const float*>(nullptr));
    case Dtype::kF64:
      return body(static_cast<const double*>(nullptr));
    case Dtype::kBf16:
      return body(static_cast<const Bf16*>(nullptr));
    case Dtype::kF16:
      return body(static_cast<const F16*>(nullptr));
    case Dtype::kInt8:
      return body(static_cast<const std::int8_t*>(nullptr));
  }
}

// An input as a step reads it: kRounds says in bf16.
template <class T, bool kRounds, class Stored>
T input(Stored value) {
  if constexpr (kRounds)
    return static_cast<T>(to_float(to_bf16(static_cast<float>(widened(value)))));
  return static_cast<T>(widened(value));
}

template <bool kRounds, class T>
void load_row(const ConstView& view, std::int64_t b, std::int64_t h, std::int64_t i, T factor,
              T* out) {
  with_element_type(view.dtype, [&](auto type) {
    const auto* row = reinterpret_cast<decltype(type)>(view.row(b, h, i));
    for (std::int64_t c = 0; c < view.shape[3]; ++c) {
      out[c] = input<T, kRounds>(row[c]) * factor;
    }
  });
}

template <bool kRounds, class T>
T dot(const T* a, const ConstView& view, std::int64_t b, std::int64_t h, std::int64_t j) {
  T sum = 0;
  with_element_type(view.dtype, [&](auto type) {
    const auto* row = reinterpret_cast<decltype(type)>(view.row(b, h, j));
    for (std::int64_t c = 0; c < view.shape[3]; ++c) sum += a[c] * input<T, kRounds>(row[c]);
  });
  return sum;
}

// out += weight * row j of v
template <bool kRounds, class T>
void add_row(T weight, const ConstView& v, std::int64_t b, std::int64_t h, std::int64_t j, T* out) {
  with_element_type(v.dtype, [&](auto type) {
    const auto* row = reinterpret_cast<decltype(type)>(v.row(b, h, j));
    for (std::int64_t c = 0; c < v.shape[3]; ++c) {
      out[c] += weight * input<T, kRounds>(row[c]);
    }
  });
}

template <class T>
struct Scratch {
  std::uint8_t* visible;  // [nk]
  T* weights;             // [nk] scores, then weights
  T* query;               // [d]
  T* key;                 // [d]
  T* out;                 // [dv]
  T* query_logs;          // [features] performer: u_f . x_i
  T* key_logs;            // [nk, features] performer: u_f . y_j - |y_j|^2 / 2

  static Scratch carve(const Problem& problem, Operator op, Carver& carver) {
    const std::int64_t features = op == Operator::kPerformer ? problem.features : 0;
    return {.visible = carver.take<std::uint8_t>(problem.nk),
            .weights = carver.take<T>(problem.nk),
            .query = carver.take<T>(problem.head_dim),
            .key = carver.take<T>(problem.head_dim),
            .out = carver.take<T>(problem.head_dim_v),
            .query_logs = carver.take<T>(features),
            .key_logs = carver.take<T>(problem.nk * features)};
  }
};

template <class T, bool kRounds>
struct Evaluation {
  const Problem& problem;
  const Operator op;
  const Operands& operands;
  const float* directions;

  static constexpr T kHidden = -std::numeric_limits<T>::infinity();

  T key_scale(std::int64_t b, std::int64_t h, std::int64_t j) const {
    return static_cast<T>(operands.k_scales.at(b, problem.kv_head(h), j));
  }
  T value_scale(std::int64_t b, std::int64_t h, std::int64_t j) const {
    return static_cast<T>(operands.v_scales.at(b, problem.kv_head(h), j));
  }

  // A number that a step stores for the next one.
  static T step(T value) { return kRounds ? input<T, kRounds>(value) : value; }

  // Scores become weights relative to the largest one; false if every key is hidden.
  bool softmax_weights(const Scratch<T>& s, std::int64_t b, std::int64_t h, std::int64_t i) const {
    const ScoreScale scale = score_scale(problem);
    load_row<kRounds>(operands.q, b, h, i, static_cast<T>(scale.power), s.query);
    T largest = kHidden;
    bool any = false;
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      s.weights[j] = kHidden;
      if (s.visible[j] == 0 || operands.mask.hides(b, h, i, j)) continue;
      s.weights[j] =
          static_cast<T>(scale.rest) *
              (dot<kRounds>(s.query, operands.k, b, problem.kv_head(h), j) * key_scale(b, h, j)) +
          static_cast<T>(operands.mask.bias(b, h, i, j));
      s.weights[j] = step(s.weights[j]);
      largest = std::max(largest, s.weights[j]);  // of two, keeps `largest` beside a NaN
      any = any || s.weights[j] != kHidden;
    }
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      const T score = s.weights[j];
      if (score == kHidden) {
        s.weights[j] = 0;
        s.visible[j] = 0;
      } else if (problem.temperature == 0) {
        s.weights[j] = std::isnan(score) ? score : static_cast<T>(score == largest);
      } else {
        s.weights[j] = std::exp((score - largest) / static_cast<T>(problem.temperature));
      }
    }
    if constexpr (kRounds) {  // the softmax is a step of its own: its weights are divided and
                              // stored
      T sum = 0;
      for (std::int64_t j = 0; j < problem.nk; ++j) sum += s.weights[j];
      for (std::int64_t j = 0; j < problem.nk; ++j) s.weights[j] = step(s.weights[j] / sum);
    }
    return any;
  }

  static T elu_plus_1(T x) { return x > 0 ? x + 1 : std::exp(x); }

  void linear_weights(const Scratch<T>& s, std::int64_t b, std::int64_t h, std::int64_t i) const {
    load_row<kRounds>(operands.q, b, h, i, T{1}, s.query);
    for (std::int64_t c = 0; c < problem.head_dim; ++c) s.query[c] = elu_plus_1(s.query[c]);
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      s.weights[j] = 0;
      if (s.visible[j] == 0) continue;
      load_row<kRounds>(operands.k, b, problem.kv_head(h), j, key_scale(b, h, j), s.key);
      for (std::int64_t c = 0; c < problem.head_dim; ++c) {
        s.weights[j] += s.query[c] * elu_plus_1(s.key[c]);
      }
    }
  }

  // Rows of q and k are multiplied by sqrt(scale / temperature); the sign goes to q.
  T performer_factor() const {
    return static_cast<T>(std::sqrt(std::abs(problem.effective_scale()) / problem.temperature));
  }

  void project(const T* row, T* out) const {
    for (std::int64_t f = 0; f < problem.features; ++f) {
      T sum = 0;
      for (std::int64_t c = 0; c < problem.head_dim; ++c) {
        sum += row[c] * static_cast<T>(directions[f * problem.head_dim + c]);
      }
      out[f] = sum;
    }
  }

  void performer_key_logs(const Scratch<T>& s, std::int64_t b, std::int64_t kv_head) const {
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      const T scale = static_cast<T>(operands.k_scales.at(b, kv_head, j));
      load_row<kRounds>(operands.k, b, kv_head, j, performer_factor() * scale, s.key);
      T half_square = 0;
      for (std::int64_t c = 0; c < problem.head_dim; ++c) {
        half_square += s.key[c] * (s.key[c] / 2);
      }
      T* const logs = s.key_logs + j * problem.features;
      project(s.key, logs);
      for (std::int64_t f = 0; f < problem.features; ++f) logs[f] -= half_square;
    }
  }

  void performer_weights(const Scratch<T>& s, std::int64_t b, std::int64_t h,
                         std::int64_t i) const {
    const T sign = problem.effective_scale() < 0 ? T{-1} : T{1};
    load_row<kRounds>(operands.q, b, h, i, sign * performer_factor(), s.query);
    project(s.query, s.query_logs);
    T largest = kHidden;
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      if (s.visible[j] == 0) continue;
      const T* const logs = s.key_logs + j * problem.features;
      for (std::int64_t f = 0; f < problem.features; ++f) {
        largest = std::max(largest, s.query_logs[f] + logs[f]);
      }
    }
    for (std::int64_t j = 0; j < problem.nk; ++j) {
      s.weights[j] = 0;
      if (s.visible[j] == 0) continue;
      const T* const logs = s.key_logs + j * problem.features;
      for (std::int64_t f = 0; f < problem.features; ++f) {
        s.weights[j] += std::exp(s.query_logs[f] + logs[f] - largest);
      }
    }
  }

  void row(const Scratch<T>& s, std::int64_t b, std::int64_t h, std::int64_t i,
           std::int64_t out_row) const {
    mark_visible(problem, op, h, i, {s.visible, static_cast<std::size_t>(problem.nk)});
    bool any = true;
    if (has_softmax(op)) {
      any = softmax_weights(s, b, h, i);
    } else {
      for (std::int64_t j = 0; j < problem.nk; ++j) {
        if (operands.mask.hides(b, h, i, j)) s.visible[j] = 0;
      }
      if (op == Operator::kLinear) linear_weights(s, b, h, i);
      if (op == Operator::kPerformer) performer_weights(s, b, h, i);
    }
    std::fill_n(s.out, problem.head_dim_v, T{0});
    T sum = 0;
    for (std::int64_t j = 0; j < problem.nk && any; ++j) {
      if (s.visible[j] == 0)
        continue;  // a hidden value is not even multiplied by zero: it may be NaN
      sum += s.weights[j];
      add_row<kRounds>(s.weights[j] * value_scale(b, h, j), operands.v, b, problem.kv_head(h), j,
                       s.out);
    }
    std::byte* const out = operands.o.row(b, h, out_row);
    for (std::int64_t c = 0; c < problem.head_dim_v; ++c) {
      const T divisor = kRounds ? T{1} : sum;  // already divided
      store_element(out, operands.o.dtype, c, sum == 0 ? T{0} : s.out[c] / divisor);
    }
  }
};

}  // namespace

template <class T>
std::int64_t plain_scratch_bytes(const Problem& problem, Operator op) {
  Carver carver;
  Scratch<T>::carve(problem, op, carver);
  return carver.used();
}

template <class T>
void plain_evaluation(const Problem& problem, Operator op, const Operands& operands, RowList rows,
                      const float* directions, std::byte* scratch, ThreadTeam& team, Steps steps) {
  const std::int64_t bytes = plain_scratch_bytes<T>(problem, op);
  const std::int64_t groups = (rows.count + kTaskRows - 1) / kTaskRows;
  const auto evaluate = [&](const auto& evaluation) {
    team.run(problem.batch * problem.heads * groups, [&](std::int64_t task, int worker) {
      const std::int64_t b = task / groups / problem.heads, h = task / groups % problem.heads;
      const std::int64_t first = task % groups * kTaskRows;
      Carver carver({scratch + worker * bytes, static_cast<std::size_t>(bytes)});
      const auto s = Scratch<T>::carve(problem, op, carver);
      if (op == Operator::kPerformer) evaluation.performer_key_logs(s, b, problem.kv_head(h));
      for (std::int64_t r = first; r < std::min(first + kTaskRows, rows.count); ++r) {
        evaluation.row(s, b, h, rows[r], r);
      }
    });
  };
  if (steps == Steps::kBf16) {
    evaluate(Evaluation<T, true>{problem, op, operands, directions});
  } else {
    evaluate(Evaluation<T, false>{problem, op, operands, directions});
  }
}

template std::int64_t plain_scratch_bytes<float>(const Problem&, Operator);
template std::int64_t plain_scratch_bytes<double>(const Problem&, Operator);
template void plain_evaluation<float>(const Problem&, Operator, const Operands&, RowList,
                                      const float*, std::byte*, ThreadTeam&, Steps);
template void plain_evaluation<double>(const Problem&, Operator, const Operands&, RowList,
                                       const float*, std::byte*, ThreadTeam&, Steps);

}  // namespace attnlab
