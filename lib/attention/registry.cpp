#include "attention/registry.h"

#include <fmt/format.h>

#include "attention/kernels/add_kernels.h"

namespace attnlab {
namespace {

constexpr std::int64_t kTileQueries = 32;  // fewer leave a tile of queries partly empty

// Whether a kernel multiplies bf16, may do so for the problem, and is made for one of its size.
bool suits_bf16(const Kernel& kernel, const Problem& problem) {
  return kernel.products == Dtype::kBf16 && problem.nq >= kTileQueries &&
         kernel.supports(problem, nullptr);
}

}  // namespace

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
  std::vector<const Kernel*> out;
  for (const Kernel& kernel : kernels()) {
    if (isa_absence(kernel.isa).empty()) out.push_back(&kernel);
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
    if (kernel->name == name && kernel->products == Dtype::kF32) found = kernel;
  }
  return found;
}

const Kernel* find_kernel(std::string_view name, const Problem& problem) {
  const Kernel* found = find_kernel(name);
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->name == name && suits_bf16(*kernel, problem)) found = kernel;
  }
  return found;
}

std::string better_kernels(std::string_view name, const Problem& problem) {
  std::string out;
  for (const Kernel& kernel : kernels()) {
    if (kernel.name != name || !suits_bf16(kernel, problem)) continue;
    const std::string absence = isa_absence(kernel.isa);
    if (absence.empty()) {
      out.clear();  // the ones before are not better than this one, which runs
      continue;
    }
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", isa_name(kernel.isa), absence);
  }
  return out;
}

}  // namespace attnlab
