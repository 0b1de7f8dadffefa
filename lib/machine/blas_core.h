// OpenBLAS chooses its kernels ("core") by the processor's model; a model that it does not know
// gets kernels that are several times slower than the processor can do. OpenBLAS 0.3.21 takes
// PRESCOTT (SSE3) on Intel family 6 model 207, for one.
#ifndef ATTNLAB_MACHINE_BLAS_CORE_H_
#define ATTNLAB_MACHINE_BLAS_CORE_H_

#include <optional>
#include <string>
#include <string_view>

namespace attnlab {

// What the processor can do, as far as OpenBLAS's kernels differ by it.
enum class BlasLevel { kSse, kAvx2, kAvx512 };
BlasLevel processor_blas_level();

// The core that OpenBLAS should take in place of `core` on a processor of that level, as
// OPENBLAS_CORETYPE names it; nullopt where the core is good enough or is not one known here.
std::optional<std::string> better_blas_core(std::string_view core, BlasLevel level, bool is_amd);

// The variable that OpenBLAS reads when it is loaded, and ours, which holds the core that OpenBLAS
// had taken by itself: it stops a second correction.
inline constexpr const char* kCoreVariable = "OPENBLAS_CORETYPE";
inline constexpr const char* kCorrectedVariable = "ATTNLAB_BLAS_CORE_WAS";

// Starts the program anew, once, with the better core where OpenBLAS took one below what the
// processor can do and the user has not chosen one. Call it first thing in main().
void correct_blas_core(char** argv);

// Who chose the core: "OpenBLAS", "OPENBLAS_CORETYPE", or "attnlab, in place of PRESCOTT".
std::string blas_core_chosen_by();

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_BLAS_CORE_H_
