// Instruction sets as users name them, and which of them this processor and this build have.
#ifndef ATTNLAB_MACHINE_ISA_H_
#define ATTNLAB_MACHINE_ISA_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// kBlas: whatever the BLAS library chooses for itself.
enum class Isa { kBlas, kSse4, kAvx2, kAvx512, kAvx512Bf16, kAmx, kNeon };

// What every file is compiled for; code without SIMD of its own runs on it.
#if defined(__aarch64__)
inline constexpr Isa kBaseIsa = Isa::kNeon;
#else
inline constexpr Isa kBaseIsa = Isa::kSse4;
#endif

// The name in flags and results: blas, sse4, avx2, avx512, avx512bf16, amx, neon.
std::string_view isa_name(Isa isa);
std::optional<Isa> isa_from_name(std::string_view name);

// Why this process cannot run code of an instruction set, as "this processor has no avx512bf16";
// empty if it can. Asks for AMX (machine/amx.h).
std::string isa_absence(Isa isa);

// The instruction sets that Highway code was compiled for and this processor can run, best last.
// Code under foreach_target.h registers one function a target; call only those listed here.
std::vector<Isa> simd_isas();

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_ISA_H_
