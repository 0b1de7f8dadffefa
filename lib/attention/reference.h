// The plain evaluation of every operator, row by row, as its definition reads: in float64 it is the
// truth that kernels are held against, in float32 the measure of what rounding alone costs.
#ifndef ATTNLAB_ATTENTION_REFERENCE_H_
#define ATTNLAB_ATTENTION_REFERENCE_H_

#include <cstdint>
#include <span>

#include "attention/operands.h"
#include "machine/thread_team.h"

namespace attnlab {

// Rows `rows` of the output in float64 arithmetic: out [B, Hq, rows, Dv], f64 or f32. operands.o is
// not used. Needs no memory that grows with n^2; throws RunError when there is too little.
void reference_rows(const Problem& problem, Operator op, const Operands& operands,
                    std::span<const std::int64_t> rows, const View& out, ThreadTeam& team);

// The same in float32 arithmetic with plain sums; half types are widened, which is exact.
void textbook_rows(const Problem& problem, Operator op, const Operands& operands,
                   std::span<const std::int64_t> rows, const View& out, ThreadTeam& team);

// The same in three steps whose tensors are bf16: inputs (rounded if they are f32), scores and
// weights; sums are float32. What kernels with products of bf16 are held against, as others are
// against the textbook.
void bf16_steps_rows(const Problem& problem, Operator op, const Operands& operands,
                     std::span<const std::int64_t> rows, const View& out, ThreadTeam& team);

// max |a - b| over tensors of one shape; NaN where one has a NaN that the other has not, or an Inf
// that differs. What max_error and approximation_error are.
double max_difference(const ConstView& a, const ConstView& b);

// The largest finite |v|; 0 if there is none.
double largest_value(const ConstView& v, const RowScales& scales = {});

// max_error / max(textbook_error, 4 * 2^-24 * max |v|): a kernel is right when this is at most 2.
double error_ratio(double max_error, double textbook_error, const ConstView& v,
                   const RowScales& scales = {});

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_REFERENCE_H_
