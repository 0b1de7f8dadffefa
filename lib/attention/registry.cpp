#include "attention/registry.h"

#include <algorithm>

#include "attention/kernels/add_kernels.h"

namespace attnlab {

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> out;
#define ATTNLAB_KERNEL(name) add_##name##_kernels(out);
#include "attention/kernel_list.inc"
#undef ATTNLAB_KERNEL
    return out;
  }();
  return all;
}

std::vector<const Kernel*> runnable_kernels() {
  static const std::vector<Isa> isas = simd_isas();
  std::vector<const Kernel*> out;
  for (const Kernel& kernel : kernels()) {
    if (kernel.isa == Isa::kBlas || std::find(isas.begin(), isas.end(), kernel.isa) != isas.end()) {
      out.push_back(&kernel);
    }
  }
  return out;
}

const Kernel* find_kernel(std::string_view name, Isa isa) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == name && kernel.isa == isa) return &kernel;
  }
  return nullptr;
}

const Kernel* find_kernel(std::string_view name) {
  const Kernel* found = nullptr;
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->name == name) found = kernel;
  }
  return found;
}

}  // namespace attnlab
