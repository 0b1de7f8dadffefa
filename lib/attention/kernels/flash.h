// The registry's entry of flash with one engine: tests make some of engines that the registry does
// not have.
#ifndef ATTNLAB_ATTENTION_KERNELS_FLASH_H_
#define ATTNLAB_ATTENTION_KERNELS_FLASH_H_

#include "attention/kernel.h"
#include "attention/simd/attend.h"

namespace attnlab {

// The engine must outlive the kernel.
Kernel flash_kernel(const AttendEngine& engine);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNELS_FLASH_H_
