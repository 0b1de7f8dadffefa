// What every file in kernels/ defines: add_<name>_kernels(out) appends the entries of one kernel,
// one for each instruction set, best last.
#ifndef ATTNLAB_ATTENTION_KERNELS_ADD_KERNELS_H_
#define ATTNLAB_ATTENTION_KERNELS_ADD_KERNELS_H_

#include <vector>

#include "attention/kernel.h"

namespace attnlab {

#define ATTNLAB_KERNEL(name) void add_##name##_kernels(std::vector<Kernel>& out);
#include "attention/kernel_list.inc"
#undef ATTNLAB_KERNEL

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNELS_ADD_KERNELS_H_
