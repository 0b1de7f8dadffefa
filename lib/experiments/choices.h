// The library's own types as values of parameters (base/parameter_type.h).
#ifndef ATTNLAB_EXPERIMENTS_CHOICES_H_
#define ATTNLAB_EXPERIMENTS_CHOICES_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/parameter_type.h"
#include "random/dot_product.h"

namespace attnlab {

// What scores are multiplied by before the softmax: 1/sqrt(d), 1, 1/d, or a number.
struct ScaleRule {
  enum class Rule { kSqrt, kNone, kD, kNumber };
  Rule rule = Rule::kSqrt;
  double number = 1;

  double factor(double d) const {
    switch (rule) {
      case Rule::kSqrt:
        return 1 / std::sqrt(d);
      case Rule::kNone:
        return 1;
      case Rule::kD:
        return 1 / d;
      case Rule::kNumber:
        break;
    }
    return number;
  }
};

inline constexpr double kLargestSeed = 9007199254740991.0;  // 2^53 - 1: exact in every JSON reader

// mulberry32 has 32 bits of state: a larger seed would repeat the run of a smaller one.
inline void check_seed(Rng rng, std::int64_t seed, const std::string& place,
                       std::vector<Mistake>& mistakes) {
  if (rng == Rng::kMulberry32 && seed >> 32 != 0) {
    mistakes.push_back({child_place(place, "seed"), std::to_string(seed) + " is too large",
                        "mulberry32 takes seeds up to 4294967295"});
  }
}

template <>
struct ParameterType<ScaleRule> {
  static void describe(ValueRules& rules) {
    rules.kind = ValueKind::kReal;
    rules.words = {"sqrt", "none", "d"};
  }
  static ScaleRule from(const Json& item) {
    if (item.is_number()) return {ScaleRule::Rule::kNumber, item.get<double>()};
    if (item == "none") return {ScaleRule::Rule::kNone, 1};
    return {item == "d" ? ScaleRule::Rule::kD : ScaleRule::Rule::kSqrt, 1};
  }
  static Json to(const ScaleRule& scale) {
    switch (scale.rule) {
      case ScaleRule::Rule::kSqrt:
        return "sqrt";
      case ScaleRule::Rule::kNone:
        return "none";
      case ScaleRule::Rule::kD:
        return "d";
      case ScaleRule::Rule::kNumber:
        break;
    }
    return ParameterType<double>::to(scale.number);
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_CHOICES_H_
