// How scale and temperature enter the arithmetic without losing range or accuracy.
#ifndef ATTNLAB_ATTENTION_SCALING_H_
#define ATTNLAB_ATTENTION_SCALING_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "attention/problem.h"

namespace attnlab {

// scale = power * rest. Queries are multiplied by power, a power of two with the scale's sign (0
// for a scale of 0), which is exact; products with keys by rest, from 1 to 2. A scaled score that
// fits a float32 then does not overflow on the way, as q.k before the scale could.
struct ScoreScale {
  double power;
  double rest;
};

inline ScoreScale score_scale(const Problem& problem) {
  const double scale = problem.effective_scale();
  if (scale == 0) return {0, 1};
  const int exponent = std::clamp(std::ilogb(scale), -126, 127);
  const double power = std::copysign(std::ldexp(1.0, exponent), scale);
  return {power, scale / power};
}

// The factor f for which weights are 2^(f (score - largest score)), scores taken before the factor
// `rest`: rest log2(e) / temperature, kept within float32. Temperature 0 is a case of its own.
inline float exponent_factor(const Problem& problem, double rest) {
  using Limits = std::numeric_limits<float>;
  const double factor = rest * std::numbers::log2e / problem.temperature;
  return static_cast<float>(std::clamp(factor, double{Limits::min()}, double{Limits::max()}));
}

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SCALING_H_
