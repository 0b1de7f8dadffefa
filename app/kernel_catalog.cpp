// Kernels in `list` and `describe`.
#include <fmt/format.h>

#include <algorithm>

#include "app/catalog.h"
#include "attention/registry.h"
#include "base/text.h"
#include "machine/machine.h"

namespace attnlab {
namespace {

std::vector<const Kernel*> entries_of(const std::string& name) {
  std::vector<const Kernel*> out;
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == name) out.push_back(&kernel);
  }
  return out;
}

Table kernel_table(const std::string& name) {
  Table out("kernel", "describe",
            {{"isa", "instruction set of the entry", ColumnKind::kParameter},
             {"runs_here", "whether this processor has it", ColumnKind::kExact},
             {"operator", "what it computes; kernels of one operator differ in rounding only",
              ColumnKind::kExact},
             {"workspace", "memory beside inputs and output", ColumnKind::kExact}});
  const std::vector<const Kernel*> here = runnable_kernels();
  for (const Kernel* kernel : entries_of(name)) {
    out.add_row()
        .set("isa", isa_name(kernel->isa))
        .set("runs_here", std::find(here.begin(), here.end(), kernel) != here.end())
        .set("operator", operator_name(kernel->op))
        .set("workspace", kernel->memory);
  }
  return out;
}

// The formula at work: bytes at a few lengths, one head of 64.
Table workspace_table(const std::string& name) {
  Table out("workspace", "describe",
            {{"n", "queries and keys, one head of 64", ColumnKind::kParameter},
             {"threads", "threads of the team", ColumnKind::kParameter},
             {"bytes", "workspace by the kernel's formula", ColumnKind::kExact, "B"}});
  const int threads = usable_threads(read_machine());
  for (const std::int64_t n : {1024, 4096, 16384}) {
    out.add_row()
        .set("n", n)
        .set("threads", threads)
        .set("bytes", find_kernel(name)->workspace(self_attention(1, 1, n, 64), threads));
  }
  return out;
}

// What a kernel takes and refuses, asked of the kernel itself.
Table support_table(const std::string& name) {
  Table out("supports", "describe",
            {{"feature", "what a problem may ask for", ColumnKind::kParameter},
             {"supported", "whether the kernel can do it", ColumnKind::kExact},
             {"reason", "why it cannot", ColumnKind::kExact}});
  const auto add = [&](const char* feature, auto&& change) {
    Problem problem = self_attention(1, 4, 64, 64);
    change(problem);
    std::string why_not;
    const bool is_supported = find_kernel(name)->supports(problem, &why_not);
    out.add_row()
        .set("feature", feature)
        .set("supported", is_supported)
        .set("reason", is_supported ? Cell() : Cell(why_not));
  };
  add("causal", [](Problem& p) { p.causal = Causal::kBottomRight; });
  add("fewer queries than keys", [](Problem& p) { p.nq = 1; });
  add("grouped heads", [](Problem& p) { p.kv_heads = 1; });
  add("values of another size", [](Problem& p) { p.head_dim_v = 80; });
  add("bf16", [](Problem& p) { p.dtype = Dtype::kBf16; });
  add("f16", [](Problem& p) { p.dtype = Dtype::kF16; });
  add("int8", [](Problem& p) { p.dtype = Dtype::kInt8; });
  add("boolean mask", [](Problem& p) { p.mask.kind = MaskKind::kBoolean; });
  add("additive mask", [](Problem& p) { p.mask.kind = MaskKind::kAdditive; });
  add("temperature 0", [](Problem& p) { p.temperature = 0; });
  return out;
}

}  // namespace

CatalogSection kernel_section() {
  CatalogSection out{"kernels", "kernel", {}};
  for (const Kernel& kernel : kernels()) {
    const std::string name(kernel.name);
    if (!out.entries.empty() && out.entries.back().name == name) continue;
    std::vector<std::string> isas;
    for (const Kernel* entry : entries_of(name)) isas.emplace_back(isa_name(entry->isa));
    out.entries.push_back(
        {name, fmt::format("{} ({})", kernel.summary, join(isas, ", ")), std::string(kernel.source),
         [name] {
           return std::vector{kernel_table(name), support_table(name), workspace_table(name)};
         }});
  }
  return out;
}

}  // namespace attnlab
