// The data of one attention problem: views of q, k, v, o and the mask (problem.h has the formula).
#ifndef ATTNLAB_ATTENTION_OPERANDS_H_
#define ATTNLAB_ATTENTION_OPERANDS_H_

#include <cstdint>
#include <string>

#include "attention/problem.h"
#include "tensor/mask.h"
#include "tensor/quantized.h"
#include "tensor/view.h"

namespace attnlab {

// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// Rows (the last axis) are contiguous; rows of k, v and o do not overlap each other (stride along n
// at least the row's length); other strides are free. q, k, v hold the problem's dtype, o its
// output_dtype.
// In int8, a type of caches, only k and v do, with a scale for each token and head; q is float32.
// The kernels `reference` and `textbook` also take q, k, v and o in f64.
// o must not overlap the inputs and is written in full, whatever it held before.
struct Operands {
  ConstView q{};
  ConstView k{};
  ConstView v{};
  View o{};
  MaskView mask{};
  RowScales k_scales{}, v_scales{};  // [B, Hkv, Nk], of int8 alone
};

// What of these operands does not fit the problem, as "k has 63 keys, not 64"; empty if they fit.
std::string operand_error(const Problem& problem, const Operands& operands);

// Rows (b, h, i) whose keys are all hidden, by the operator's pattern or by the mask: their output
// is zeros.
std::int64_t masked_rows(const Problem& problem, Operator op, const MaskView& mask);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_OPERANDS_H_
