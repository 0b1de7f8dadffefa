#include "experiments/sweep_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/reference.h"

namespace attnlab {

SweepErrors SweepChecker::errors(const Kernel& kernel) {
  const Reference& reference = this->reference(kernel.op, kernel.products);
  SweepErrors out;
  out.max_error = difference_to(reference.truth);
  out.error_ratio = out.max_error == 0 ? 0 : out.max_error / reference.allowed;
  out.approximation_error = difference_to(unrounded());
  return out;
}

const SweepChecker::Reference& SweepChecker::reference(Operator op, Dtype products) {
  const std::pair key(op, products);
  const auto found = references_.find(key);
  if (found != references_.end()) return found->second;
  Reference out;
  out.truth = setup_.rows(Truth::kOperator, op, rows_, team_);
  const std::vector<double> textbook = setup_.rows(
      products == Dtype::kBf16 ? Truth::kBf16Steps : Truth::kTextbook, op, rows_, team_);
  out.allowed = 4 * 0x1p-24 * setup_.magnitude(out.truth);
  for (std::size_t i = 0; i < textbook.size(); ++i) {
    const double error = std::abs(textbook[i] - out.truth[i]);
    if (error > out.allowed) out.allowed = error;
  }
  return references_.emplace(key, std::move(out)).first->second;
}

const std::vector<double>& SweepChecker::unrounded() {
  if (unrounded_.empty()) {
    unrounded_ = setup_.rows(Truth::kUnrounded, Operator::kDense, rows_, team_);
  }
  return unrounded_;
}

double SweepChecker::difference_to(const std::vector<double>& truth) const {
  const View output = setup_.output();
  const auto rows = std::ssize(rows_);
  const ConstView expected(truth.data(), {output.shape[0], output.shape[1], rows, output.shape[3]});
  double largest = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const double difference =
        max_difference(output.rows(rows_[static_cast<std::size_t>(r)], 1), expected.rows(r, 1));
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace attnlab
