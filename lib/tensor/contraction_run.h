// Contractions carried out, on arrays without gaps in row-major order.
// ContractionRunner follows a plan by BLAS, step by step; plain_contraction() is the definition,
// one loop an index, in double: what the other is held against.
#ifndef ATTNLAB_TENSOR_CONTRACTION_RUN_H_
#define ATTNLAB_TENSOR_CONTRACTION_RUN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "machine/thread_team.h"
#include "tensor/buffer.h"
#include "tensor/contraction_plan.h"

namespace attnlab {

// Brings an array into another order of its indices: sums those that are not wanted, takes the
// diagonal of those that stand twice.
struct Gather {
  struct Axis {
    std::int64_t size, stride;
  };
  std::vector<Axis> wanted, summed;
  bool is_identity = false;  // the array is as it should be

  // Of an array whose axes have these indices (or kShared).
  Gather(const Contraction& contraction, const std::vector<int>& axes,
         const std::vector<int>& wanted_order);
};

// T is float or double. Owns what lies between the steps.
template <class T>
class ContractionRunner {
 public:
  // Bytes that one holds: operands brought into BLAS's order, results of steps.
  static std::int64_t workspace_bytes(const Contraction& contraction, const ContractionPlan& plan);

  // Throws RunError when there is no memory or a matrix is too large for BLAS's int.
  ContractionRunner(const Contraction& contraction, const ContractionPlan& plan);

  // Fills result; operands and result as the contraction says, not overlapping. Batches and blocks
  // of rows are spread over the team; the bits do not depend on it. Allocates nothing.
  void run(std::span<const T* const> operands, T* result, ThreadTeam& team);

 private:
  // A step with the layouts of its matrices: left [batch, rows, summed], right [batch, columns,
  // summed] or [batch, summed, columns], result [batch, rows, columns].
  struct Stage {
    int left_number, right_number;
    Gather left, right;
    bool right_transposed;
    BlasCall call;
    std::int64_t batch, rows, columns, summed;
    AlignedBuffer left_buffer, right_buffer, result_buffer;
  };

  static std::vector<Stage> stages_of(const Contraction& contraction, const ContractionPlan& plan);
  static void multiply(const Stage& stage, const T* left, const T* right, T* result,
                       ThreadTeam& team);

  std::size_t operand_count_;
  std::vector<Stage> stages_;
  Gather last_;  // from the last step's result (or the only operand) to the result
};

// One element of the result by the definition, and the sum of the absolute values of what it adds.
struct PlainElement {
  double value = 0, magnitude = 0;
  std::int64_t terms = 0;
};
template <class T>
PlainElement plain_element(const Contraction& contraction, std::span<const T* const> operands,
                           std::int64_t element);

// All of them.
template <class T>
std::vector<double> plain_contraction(const Contraction& contraction,
                                      std::span<const T* const> operands);

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_CONTRACTION_RUN_H_
