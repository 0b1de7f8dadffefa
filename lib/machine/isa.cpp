#include "machine/isa.h"

#include <hwy/highway.h>

#include <utility>

namespace attnlab {
namespace {

constexpr std::pair<Isa, std::string_view> kNames[] = {
    {Isa::kBlas, "blas"},     {Isa::kSse4, "sse4"}, {Isa::kAvx2, "avx2"},
    {Isa::kAvx512, "avx512"}, {Isa::kAmx, "amx"},   {Isa::kAvx512Bf16, "avx512bf16"},
    {Isa::kNeon, "neon"}};

// In ascending order of what is expected to be faster.
constexpr std::pair<long long, Isa> kTargets[] = {{HWY_SSE4, Isa::kSse4},
                                                  {HWY_NEON, Isa::kNeon},
                                                  {HWY_AVX2, Isa::kAvx2},
                                                  {HWY_AVX3, Isa::kAvx512}};

}  // namespace

std::string_view isa_name(Isa isa) {
  for (const auto& [value, name] : kNames) {
    if (value == isa) return name;
  }
  return "";
}

std::optional<Isa> isa_from_name(std::string_view wanted) {
  for (const auto& [value, name] : kNames) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

std::vector<Isa> simd_isas() {
  const auto supported = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Isa> out;
  for (const auto& [target, isa] : kTargets) {
    if (supported & target) out.push_back(isa);
  }
  return out;
}

}  // namespace attnlab
