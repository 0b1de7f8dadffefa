#include "attention/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention/draws.h"
#include "attention/plain.h"
#include "base/check.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

template <class T>
void evaluate_rows(const Problem& problem, Operator op, const Operands& operands,
                   std::span<const std::int64_t> rows, const View& out, ThreadTeam& team,
                   Steps steps = Steps::kUnrounded) {
  const auto count = static_cast<std::int64_t>(rows.size());
  ATTNLAB_CHECK((out.shape == Index4{problem.batch, problem.heads, count, problem.head_dim_v}));
  std::vector<float> directions;
  if (op == Operator::kPerformer) {
    const std::int64_t d = problem.head_dim;
    directions.resize(static_cast<std::size_t>(problem.features * d));
    std::vector<double> scratch(static_cast<std::size_t>(d * (d + 1)));
    draw_directions(problem, directions, scratch);
  }
  Operands with_out = operands;
  with_out.o = out;
  const AlignedBuffer scratch(plain_scratch_bytes<T>(problem, op) * team.threads());
  plain_evaluation<T>(problem, op, with_out, {rows.data(), count}, directions.data(),
                      scratch.data(), team, steps);
}

}  // namespace

void reference_rows(const Problem& problem, Operator op, const Operands& operands,
                    std::span<const std::int64_t> rows, const View& out, ThreadTeam& team) {
  evaluate_rows<double>(problem, op, operands, rows, out, team);
}

void textbook_rows(const Problem& problem, Operator op, const Operands& operands,
                   std::span<const std::int64_t> rows, const View& out, ThreadTeam& team) {
  evaluate_rows<float>(problem, op, operands, rows, out, team);
}

void bf16_steps_rows(const Problem& problem, Operator op, const Operands& operands,
                     std::span<const std::int64_t> rows, const View& out, ThreadTeam& team) {
  ATTNLAB_CHECK(has_softmax(op));
  evaluate_rows<float>(problem, op, operands, rows, out, team, Steps::kBf16);
}

double max_difference(const ConstView& a, const ConstView& b) {
  ATTNLAB_CHECK(a.shape == b.shape);
  double largest = 0;
  for (std::int64_t i = 0; i < a.shape[0]; ++i) {
    for (std::int64_t h = 0; h < a.shape[1]; ++h) {
      for (std::int64_t r = 0; r < a.shape[2]; ++r) {
        for (std::int64_t c = 0; c < a.shape[3]; ++c) {
          const double x = a.at(i, h, r, c), y = b.at(i, h, r, c);
          if (x == y || (std::isnan(x) && std::isnan(y))) continue;
          const double difference = std::abs(x - y);
          if (!std::isfinite(difference)) return std::numeric_limits<double>::quiet_NaN();
          largest = std::max(largest, difference);
        }
      }
    }
  }
  return largest;
}

double largest_value(const ConstView& v, const RowScales& scales) {
  double largest = 0;
  for (std::int64_t i = 0; i < v.shape[0]; ++i) {
    for (std::int64_t h = 0; h < v.shape[1]; ++h) {
      for (std::int64_t r = 0; r < v.shape[2]; ++r) {
        const double scale = scales.at(i, h, r);
        for (std::int64_t c = 0; c < v.shape[3]; ++c) {
          const double x = std::abs(v.at(i, h, r, c)) * scale;
          if (std::isfinite(x)) largest = std::max(largest, x);
        }
      }
    }
  }
  return largest;
}

double error_ratio(double max_error, double textbook_error, const ConstView& v,
                   const RowScales& scales) {
  const double floor = 4 * 0x1p-24 * largest_value(v, scales);
  const double allowed = std::max(std::isnan(textbook_error) ? 0 : textbook_error, floor);
  return max_error == 0 ? 0 : max_error / allowed;
}

}  // namespace attnlab
