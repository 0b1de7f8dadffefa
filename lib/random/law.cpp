#include "random/law.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace attnlab {
std::span<const std::string_view> choice_names(Law) {
  static constexpr std::string_view kNames[] = {"normal",  "uniform",  "rademacher",
                                                "laplace", "logistic", "student-t"};
  return kNames;
}

double fourth_moment(Law law, double df) {
  switch (law) {
    case Law::kNormal:
      return 3.0;
    case Law::kUniform:
      return 9.0 / 5.0;
    case Law::kRademacher:
      return 1.0;
    case Law::kLaplace:
      return 6.0;
    case Law::kLogistic:
      return 21.0 / 5.0;
    case Law::kStudentT:
      if (df <= 4.0) return std::numeric_limits<double>::infinity();
      return std::isinf(df) ? 3.0 : 3.0 * (df - 2.0) / (df - 4.0);
  }
  ATTNLAB_CHECK(false);
}

int uniforms_per_component(Law law) { return law == Law::kNormal || law == Law::kStudentT ? 2 : 1; }

}  // namespace attnlab
