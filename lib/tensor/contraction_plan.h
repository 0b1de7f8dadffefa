// How a contraction of several operands is carried out: which two are contracted first, what BLAS
// call each step is, and what it costs.
// The order is the one with the fewest multiply-adds of all (dynamic programming over subsets of
// the operands), for up to kExhaustiveOperands; above, the cheapest pair is taken again and again.
// Indices that stand in one operand alone and are not wanted are summed before, by additions.
#ifndef ATTNLAB_TENSOR_CONTRACTION_PLAN_H_
#define ATTNLAB_TENSOR_CONTRACTION_PLAN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tensor/contraction.h"

namespace attnlab {

inline constexpr std::size_t kExhaustiveOperands = 10;

// By which call BLAS does a step. kNone: nothing is summed over both operands (an outer or
// elementwise product), or there is one operand.
enum class BlasCall { kNone, kDot, kGemv, kGemm, kBatchedGemm };
std::string_view blas_call_name(BlasCall call);  // none, dot, gemv, gemm, batched gemm

// Operand numbers below the expression's count are its own; the result of step s is the number
// count + s. The indices of the result are batch, rows, columns, in this order.
struct ContractionStep {
  int left = 0, right = 0;
  // In both operands and in the result; in the left one and the result; in the right one and the
  // result; in both and summed.
  std::vector<int> batch, rows, columns, summed;
  BlasCall call = BlasCall::kNone;
  std::int64_t macs = 0;

  std::vector<int> result() const;
};

struct ContractionPlan {
  std::vector<ContractionStep> steps;  // one fewer than operands
  std::int64_t macs = 0;               // of all steps
  std::int64_t additions = 0;          // of sums within one operand
};

ContractionPlan plan_contraction(const Contraction& contraction);

// The product of the sizes of these indices.
std::int64_t size_of(const Contraction& contraction, const std::vector<int>& indices);

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_CONTRACTION_PLAN_H_
