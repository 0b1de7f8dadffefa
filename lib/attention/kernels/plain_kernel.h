// The registry entries of the plain evaluation in float64 and in float32.
#ifndef ATTNLAB_ATTENTION_KERNELS_PLAIN_KERNEL_H_
#define ATTNLAB_ATTENTION_KERNELS_PLAIN_KERNEL_H_

#include "attention/kernel.h"
#include "attention/kernels/supports.h"
#include "attention/plain.h"

namespace attnlab {

template <class T>
Kernel plain_kernel(std::string_view name, std::string_view summary) {
  return {.name = name,
          .isa = kBaseIsa,
          .op = Operator::kDense,
          .summary = summary,
          .source = "Vaswani et al. 2017, section 3.2.1",
          .memory = "a row of scores for each thread",
          .supports =
              [](const Problem& problem, std::string* why_not) {
                return supports_operator(problem, Operator::kDense, why_not,
                                         {.int8_caches = true, .bf16_output = true});
              },
          .workspace =
              [](const Problem& problem, int threads) {
                return plain_scratch_bytes<T>(problem, Operator::kDense) * threads;
              },
          .prepare = nullptr,
          .run =
              [](const Problem& problem, const Operands& operands, std::span<std::byte> workspace,
                 ThreadTeam& team) {
                plain_evaluation<T>(problem, Operator::kDense, operands, {nullptr, problem.nq},
                                    nullptr, workspace.data(), team);
              }};
}

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNELS_PLAIN_KERNEL_H_
