// Whether a kernel's output is right: its errors on chosen rows, against references that are
// computed once a point and operator.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_CHECK_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_CHECK_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "experiments/sweep_setup.h"

namespace attnlab {

// A kernel whose error is above this times that of a plain float32 evaluation is wrong
// (Dao et al.'s rule for FlashAttention's own tests); one with products of bf16, that of three
// steps in bf16.
inline constexpr double kLargestErrorRatio = 2;

struct SweepErrors {
  double max_error = 0;            // to the operator in float64; NaN where NaN or Inf appear
  double error_ratio = 0;          // over what float32 with plain sums, or bf16 steps, lose
  double approximation_error = 0;  // to full softmax attention of the unrounded inputs
  bool is_right() const { return error_ratio <= kLargestErrorRatio; }  // false for NaN
};

class SweepChecker {
 public:
  // Checks these rows, ascending, of every batch element and head.
  SweepChecker(const SweepSetup& setup, std::vector<std::int64_t> rows, ThreadTeam& team)
      : setup_(setup), rows_(std::move(rows)), team_(team) {}

  // The errors of what the setup's output holds now, computed by that kernel.
  SweepErrors errors(const Kernel& kernel);

 private:
  struct Reference {
    std::vector<double> truth;
    double allowed = 0;  // the error that counts as 1
  };
  const Reference& reference(Operator op, Dtype products);
  const std::vector<double>& unrounded();
  double difference_to(const std::vector<double>& truth) const;

  const SweepSetup& setup_;
  std::vector<std::int64_t> rows_;
  ThreadTeam& team_;
  std::map<std::pair<Operator, Dtype>, Reference> references_;
  std::vector<double> unrounded_;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_CHECK_H_
