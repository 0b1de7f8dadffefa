#include "machine/blas_core.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "machine/blas.h"

namespace attnlab {
namespace {

// OpenBLAS's cores for x86-64 by the instructions that their single-precision kernels use.
constexpr std::pair<std::string_view, BlasLevel> kCores[] = {
    {"prescott", BlasLevel::kSse},      {"core2", BlasLevel::kSse},
    {"penryn", BlasLevel::kSse},        {"dunnington", BlasLevel::kSse},
    {"nehalem", BlasLevel::kSse},       {"atom", BlasLevel::kSse},
    {"athlon", BlasLevel::kSse},        {"opteron", BlasLevel::kSse},
    {"opteron_sse3", BlasLevel::kSse},  {"barcelona", BlasLevel::kSse},
    {"bobcat", BlasLevel::kSse},        {"nano", BlasLevel::kSse},
    {"katmai", BlasLevel::kSse},        {"coppermine", BlasLevel::kSse},
    {"northwood", BlasLevel::kSse},     {"banias", BlasLevel::kSse},
    {"sandybridge", BlasLevel::kSse},   {"bulldozer", BlasLevel::kSse},
    {"piledriver", BlasLevel::kSse},    {"steamroller", BlasLevel::kSse},
    {"excavator", BlasLevel::kAvx2},    {"haswell", BlasLevel::kAvx2},
    {"zen", BlasLevel::kAvx2},          {"skylakex", BlasLevel::kAvx512},
    {"cooperlake", BlasLevel::kAvx512}, {"sapphirerapids", BlasLevel::kAvx512}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool processor_is_amd() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

}  // namespace

BlasLevel processor_blas_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return BlasLevel::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return BlasLevel::kAvx2;
#endif
  return BlasLevel::kSse;
}

std::optional<std::string> better_blas_core(std::string_view core, BlasLevel level, bool is_amd) {
  const std::string name = lower(core);
  for (const auto& [known, can] : kCores) {
    if (known != name || can >= level) continue;
    // On AMD's processors with AVX-512 OpenBLAS itself stays with the Zen kernels.
    if (is_amd) return can < BlasLevel::kAvx2 ? std::optional<std::string>("Zen") : std::nullopt;
    return level == BlasLevel::kAvx512 ? "SkylakeX" : "Haswell";
  }
  return std::nullopt;
}

void correct_blas_core(char** argv) {
  if (std::getenv(kCoreVariable) != nullptr || std::getenv(kCorrectedVariable) != nullptr) return;
  const std::string core = blas_info().core;
  const auto better = better_blas_core(core, processor_blas_level(), processor_is_amd());
  if (!better) return;
  setenv(kCoreVariable, better->c_str(), 1);
  setenv(kCorrectedVariable, core.c_str(), 1);
  execv("/proc/self/exe", argv);
  unsetenv(kCoreVariable);  // it could not be started: this process goes on as it is
  unsetenv(kCorrectedVariable);
}

std::string blas_core_chosen_by() {
  if (const char* was = std::getenv(kCorrectedVariable)) {
    return std::string("attnlab, in place of ") + was;
  }
  return std::getenv(kCoreVariable) != nullptr ? kCoreVariable : "OpenBLAS";
}

}  // namespace attnlab
