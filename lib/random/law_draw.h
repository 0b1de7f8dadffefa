// One component of a law at a time, in double, from a source of uniforms: mulberry32's way.
#ifndef ATTNLAB_RANDOM_LAW_DRAW_H_
#define ATTNLAB_RANDOM_LAW_DRAW_H_

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "random/law.h"

namespace attnlab {

// The next component; df > 2 is used by Student's t alone. Source has uniform() in [0, 1),
// positive_uniform() and normal().
template <class Source>
double draw(Law law, double df, Source& source) {
  using std::numbers::pi;
  switch (law) {
    case Law::kNormal:
      return source.normal();
    case Law::kUniform:
      return std::sqrt(3.0) * (2.0 * source.uniform() - 1.0);
    case Law::kRademacher:
      return source.uniform() < 0.5 ? -1.0 : 1.0;
    case Law::kLaplace: {  // -ln u / sqrt 2 on either side
      const double centred = source.uniform() - 0.5;
      return std::copysign(std::log(std::max(1.0 - 2.0 * std::abs(centred), 1e-12)), centred) *
             -std::sqrt(0.5);
    }
    case Law::kLogistic: {
      const double u = source.positive_uniform();
      return std::log(u / (1.0 - u)) * std::sqrt(3.0) / pi;
    }
    case Law::kStudentT: {  // Bailey, Polar generation of random variates with the t-distribution,
                            // 1994
      const double u = source.positive_uniform();
      const double radius = std::sqrt((df - 2.0) * std::expm1(-2.0 * std::log(u) / df));
      return radius * std::cos(2.0 * pi * source.uniform());
    }
  }
  ATTNLAB_CHECK(false);
}

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_LAW_DRAW_H_
