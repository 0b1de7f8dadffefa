#include "attention/kernels/supports.h"

#include <fmt/format.h>

#include <utility>

namespace attnlab {

bool refuse(std::string* why_not, std::string reason) {
  if (why_not != nullptr) *why_not = std::move(reason);
  return false;
}

bool supports_operator(const Problem& problem, Operator op, std::string* why_not,
                       const Abilities& abilities) {
  const std::string error = problem_error(problem);
  if (!error.empty()) return refuse(why_not, error);
  if (problem.dtype == Dtype::kInt8 && !abilities.int8_caches) {
    return refuse(why_not, "int8 is a type of caches: decode, textbook and reference read it");
  }
  if (problem.dtype == Dtype::kF64) return refuse(why_not, "dtype f64 is not one it reads");
  if (abilities.products == Dtype::kBf16) {
    const bool may_round = problem.dtype == Dtype::kF32 && problem.fpmath == FpMath::kBf16;
    if (problem.dtype != Dtype::kBf16 && !may_round) {
      return refuse(why_not, "it multiplies bf16: give dtype bf16, or f32 with fpmath bf16");
    }
  }
  if (problem.output_dtype == Dtype::kBf16 && !abilities.bf16_output) {
    return refuse(why_not, "it writes its output in f32 alone; flash writes bf16 too");
  }
  if (!has_softmax(op)) {
    const std::string_view name = operator_name(op);
    if (problem.temperature == 0) {
      return refuse(why_not, fmt::format("{} attention has no argmax limit", name));
    }
    if (problem.mask.kind == MaskKind::kAdditive) {
      return refuse(why_not, fmt::format("{} attention has no scores to add a mask to", name));
    }
    if (problem.mask.kind == MaskKind::kBoolean && problem.mask.per_query) {
      return refuse(why_not, fmt::format("{} attention sums keys before it sees the query: a mask "
                                         "may hide keys from all queries, not from some",
                                         name));
    }
  }
  if (!abilities.stages.covers(problem.left_out)) {
    return refuse(why_not, "it has no such stage that can be left out");
  }
  if (!multiply_adds(problem, op)) return refuse(why_not, "the multiply-adds pass 2^63");
  return true;
}

}  // namespace attnlab
