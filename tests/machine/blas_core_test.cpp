#include "machine/blas_core.h"

#include "machine/blas.h"
#include "support/catch.h"

namespace attnlab {

TEST_CASE("a core below what the processor can do gets a better one", "[machine]") {
  CHECK(better_blas_core("Prescott", BlasLevel::kAvx512, false) == "SkylakeX");
  CHECK(better_blas_core("PRESCOTT", BlasLevel::kAvx2, false) == "Haswell");
  CHECK(better_blas_core("Nehalem", BlasLevel::kAvx2, true) == "Zen");
  CHECK(better_blas_core("Haswell", BlasLevel::kAvx512, false) == "SkylakeX");
}

TEST_CASE("a core that is good enough or unknown stays", "[machine]") {
  CHECK(!better_blas_core("Haswell", BlasLevel::kAvx2, false));
  CHECK(!better_blas_core("Zen", BlasLevel::kAvx2, true));
  CHECK(!better_blas_core("Zen", BlasLevel::kAvx512, true));  // OpenBLAS's own choice there
  CHECK(!better_blas_core("SkylakeX", BlasLevel::kAvx512, false));
  CHECK(!better_blas_core("Sapphirerapids", BlasLevel::kAvx512, false));
  CHECK(!better_blas_core("Prescott", BlasLevel::kSse, false));
  CHECK(!better_blas_core("neoversen1", BlasLevel::kSse, false));
  CHECK(!better_blas_core("", BlasLevel::kAvx2, false));
}

TEST_CASE("the core that BLAS took here is one that it has a name for", "[machine]") {
  CHECK(!blas_info().core.empty());
  CHECK(!blas_core_chosen_by().empty());
}

}  // namespace attnlab
