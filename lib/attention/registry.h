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

// Those that this process can run: isa_absence() of their instruction set is empty.
std::vector<const Kernel*> runnable_kernels();

// The entry of that name and instruction set, or of the best one that runs here with products of
// float32; null if none.
const Kernel* find_kernel(std::string_view name, Isa isa);
const Kernel* find_kernel(std::string_view name);

// The entry of that name that is fastest for the problem here, as far as known: products of bf16
// where the problem allows them and has queries for a tile. Null if there is none of that name.
const Kernel* find_kernel(std::string_view name, const Problem& problem);

// Which entries better than find_kernel()'s cannot run here, and why, as "amx: this processor has
// no AMX for bf16"; empty if there are none.
std::string better_kernels(std::string_view name, const Problem& problem);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_REGISTRY_H_
