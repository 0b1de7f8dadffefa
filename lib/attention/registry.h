// All attention kernels of this build.
#ifndef ATTNLAB_ATTENTION_REGISTRY_H_
#define ATTNLAB_ATTENTION_REGISTRY_H_

#include <span>
#include <string_view>
#include <vector>

#include "attention/kernel.h"

namespace attnlab {

// One entry for each kernel and instruction set that the build has, in the order of kernel_list.inc
// and best instruction set last. Entries of one name compute the same operator.
std::span<const Kernel> kernels();

// Those that this processor can run: their instruction set is blas or among simd_isas().
std::vector<const Kernel*> runnable_kernels();

// The entry of that name and instruction set, or of the best one that runs here; null if none.
const Kernel* find_kernel(std::string_view name, Isa isa);
const Kernel* find_kernel(std::string_view name);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_REGISTRY_H_
