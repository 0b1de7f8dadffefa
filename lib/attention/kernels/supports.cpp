#include "attention/kernels/supports.h"

#include <fmt/format.h>

#include <utility>

namespace attnlab {

bool refuse(std::string* why_not, std::string reason) {
  if (why_not != nullptr) *why_not = std::move(reason);
  return false;
}

bool supports_operator(const Problem& problem, Operator op, std::string* why_not, StageSet stages,
                       Caches caches) {
  const std::string error = problem_error(problem);
  if (!error.empty()) return refuse(why_not, error);
  if (problem.dtype == Dtype::kInt8 && caches == Caches::kFloat) {
    return refuse(why_not, "int8 is a type of caches: decode, textbook and reference read it");
  }
  if (problem.dtype == Dtype::kF64) return refuse(why_not, "dtype f64 is not one it reads");
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
  if (!stages.covers(problem.left_out)) {
    return refuse(why_not, "it has no such stage that can be left out");
  }
  if (!multiply_adds(problem, op)) return refuse(why_not, "the multiply-adds pass 2^63");
  return true;
}

}  // namespace attnlab
