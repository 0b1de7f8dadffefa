// The plain evaluation itself, for reference.h and the kernels `reference` and `textbook`.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, rows, Dv]
// T is the type of every product, sum and exponential. The linear operators are evaluated in their
// quadratic form: o_i = sum_j w_ij v_j / sum_j w_ij over the keys j that i sees, with
//   linear     w_ij = phi(q_i) . phi(k_j), phi(x) = elu(x) + 1
//              Katharopoulos et al., Transformers are RNNs, 2020, equations 5 to 7
//   performer  w_ij = sum_f exp(u_f . x_i) exp(u_f . y_j - |y_j|^2 / 2), x and y the rows of q and
//   k
//              times sqrt(scale / temperature), u_f random directions; the factor exp(-|x_i|^2 / 2)
//              of Choromanski et al. 2021, equation 5, cancels
#ifndef ATTNLAB_ATTENTION_PLAIN_H_
#define ATTNLAB_ATTENTION_PLAIN_H_

#include <cstddef>
#include <cstdint>

#include "attention/operands.h"
#include "machine/thread_team.h"

namespace attnlab {

// Rows of the output that are wanted: all of them when index is null.
struct RowList {
  const std::int64_t* index = nullptr;
  std::int64_t count = 0;
  std::int64_t operator[](std::int64_t r) const { return index == nullptr ? r : index[r]; }
};

// What is rounded on the way: nothing, or, as three steps do whose tensors are bf16, the inputs,
// the scores and the weights. For softmax operators.
enum class Steps { kUnrounded, kBf16 };

// Bytes of scratch for each thread.
template <class T>
std::int64_t plain_scratch_bytes(const Problem& problem, Operator op);

// Writes row rows[r] of the result to row r of operands.o. directions are performer's and may be
// null for the other operators. Neither throws nor allocates.
template <class T>
void plain_evaluation(const Problem& problem, Operator op, const Operands& operands, RowList rows,
                      const float* directions, std::byte* scratch, ThreadTeam& team,
                      Steps steps = Steps::kUnrounded);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_PLAIN_H_
