#include "random/law.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace attnlab {
namespace {

constexpr std::pair<Law, std::string_view> kNames[] = {
    {Law::kNormal, "normal"},   {Law::kUniform, "uniform"},   {Law::kRademacher, "rademacher"},
    {Law::kLaplace, "laplace"}, {Law::kLogistic, "logistic"}, {Law::kStudentT, "student-t"}};

}  // namespace

std::string_view law_name(Law law) {
  for (const auto& [value, name] : kNames) {
    if (value == law) return name;
  }
  return "";
}

std::optional<Law> law_from_name(std::string_view wanted) {
  for (const auto& [value, name] : kNames) {
    if (name == wanted) return value;
  }
  return std::nullopt;
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
