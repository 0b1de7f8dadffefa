#include "machine/blas_core.h"

#include <cstdlib>
#include <optional>
#include <string>

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

// Sets or unsets an environment variable for the length of a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was;
    assign(value);
  }
  ~Variable() { assign(was_ ? was_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void assign(const char* value) {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> was_;
};

TEST_CASE("who chose the core is told apart", "[machine]") {
  const Variable no_core(kCoreVariable, nullptr), no_correction(kCorrectedVariable, nullptr);
  CHECK(blas_core_chosen_by() == "OpenBLAS");
  const Variable core(kCoreVariable, "Haswell");
  CHECK(blas_core_chosen_by() == "OPENBLAS_CORETYPE");
  const Variable corrected(kCorrectedVariable, "PRESCOTT");  // which sets both
  CHECK(blas_core_chosen_by() == "attnlab, in place of PRESCOTT");
}

TEST_CASE("a core that was corrected is not corrected again", "[machine]") {
  for (const BlasLevel level : {BlasLevel::kSse, BlasLevel::kAvx2, BlasLevel::kAvx512}) {
    for (const bool is_amd : {false, true}) {
      const auto better = better_blas_core("Prescott", level, is_amd);
      CHECK(better.has_value() == (level != BlasLevel::kSse));
      if (better) CHECK(!better_blas_core(*better, level, is_amd));
    }
  }
}

}  // namespace attnlab
