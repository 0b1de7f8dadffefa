// The checks that kernels share in their `supports`.
#ifndef ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_
#define ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_

#include <string>

#include "attention/problem.h"

namespace attnlab {

// False with the reason in *why_not (which may be null).
bool refuse(std::string* why_not, std::string reason);

// What kernels differ in.
struct Abilities {
  StageSet stages{};             // that can be left out
  bool int8_caches = false;      // it also reads keys and values of int8
  bool bf16_output = false;      // it also writes o in bf16
  Dtype products = Dtype::kF32;  // bf16: it reads what may be rounded to that, and no other
};

// Whether the problem is sound, the operator defined for it, and what it asks for among the
// kernel's abilities.
bool supports_operator(const Problem& problem, Operator op, std::string* why_not,
                       const Abilities& abilities = {});

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_
