// The checks that kernels share in their `supports`.
#ifndef ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_
#define ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_

#include <string>

#include "attention/problem.h"

namespace attnlab {

// False with the reason in *why_not (which may be null).
bool refuse(std::string* why_not, std::string reason);

// Whether a kernel also reads keys and values of int8.
enum class Caches { kFloat, kInt8Too };

// Whether the problem is sound, its dtype one that kernels read, the operator defined for it, and
// what it leaves out among the kernel's stages.
bool supports_operator(const Problem& problem, Operator op, std::string* why_not,
                       StageSet stages = {}, Caches caches = Caches::kFloat);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNELS_SUPPORTS_H_
