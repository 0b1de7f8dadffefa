#include "machine/isa.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "machine/amx.h"

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

bool has_avx512bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

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

std::string isa_absence(Isa isa) {
  const auto has_simd = [](Isa wanted) {
    const std::vector<Isa> isas = simd_isas();
    return std::find(isas.begin(), isas.end(), wanted) != isas.end();
  };
  // Code of both is around AVX-512's.
  const bool is_bf16 = isa == Isa::kAvx512Bf16 || isa == Isa::kAmx;
  if (isa == Isa::kAmx) {
    if (std::string refusal = amx_refusal(); !refusal.empty()) return refusal;
  }
  const bool runs =
      isa == Isa::kBlas || (is_bf16 ? has_simd(Isa::kAvx512) && has_avx512bf16() : has_simd(isa));
  return runs ? "" : fmt::format("this processor has no {}", isa_name(isa));
}

}  // namespace attnlab
