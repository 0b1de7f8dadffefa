// The documented way from Philox words to components, products and scores, one number at a time
// and in double: what the vector kernels must give to within float32 rounding.
#ifndef ATTNLAB_TESTS_RANDOM_REFERENCE_H_
#define ATTNLAB_TESTS_RANDOM_REFERENCE_H_

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "random/law.h"
#include "random/philox.h"

namespace attnlab::reference {

using std::numbers::pi;

inline Philox::Block words(Philox::Key key, std::uint64_t lane, std::uint32_t block,
                           std::uint32_t vector) {
  return Philox::block(
      {static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(lane >> 32), block, vector},
      key);
}

inline double signed_word(std::uint32_t w) { return static_cast<std::int32_t>(w) * 0x1p-31; }
inline double signed_uniform(std::uint32_t w) { return signed_word(w) + 0x1p-32; }
inline double signed_uniform(std::uint32_t w, std::uint32_t fine) {
  return signed_word(w) + 0x1p-31 * (1.0 + ((fine & 0x7fffffu) | 1u) * 0x1p-23);
}
inline double minus_log(double u) { return -std::log(std::min(std::abs(u), 1.0)); }

inline double normal_product(std::uint32_t w0, std::uint32_t w1) {
  return minus_log(signed_uniform(w0, w1)) * std::sin(pi / 2 * signed_word(w1));
}

// The components of a block, in order: 4, or 2 of Student's t.
inline std::vector<double> components(Law law, double df, const Philox::Block& w) {
  std::vector<double> out;
  for (std::size_t i = 0; i < 4; ++i) {
    const double u = signed_uniform(w[i]), magnitude = std::abs(u);
    switch (law) {
      case Law::kNormal:
      case Law::kStudentT:
        break;
      case Law::kUniform:
        out.push_back(u * std::sqrt(3.0));
        break;
      case Law::kRademacher:
        out.push_back(w[i] >> 31 ? -1.0 : 1.0);
        break;
      case Law::kLaplace:
        out.push_back(std::copysign(minus_log(u) / std::sqrt(2.0), u));
        break;
      case Law::kLogistic:
        out.push_back(
            std::copysign(std::log((2.0 - magnitude) / magnitude) * std::sqrt(3.0) / pi, u));
        break;
    }
  }
  for (std::size_t i = 0; i < 4; i += 2) {
    const double u = signed_uniform(w[i], w[i + 1]), angle = pi / 2 * signed_word(w[i + 1]);
    if (law == Law::kNormal) {
      const double radius = std::sqrt(2.0 * minus_log(u));
      out.push_back(std::copysign(radius, u) * std::cos(angle));
      out.push_back(radius * std::sin(angle));
    } else if (law == Law::kStudentT) {
      const double square = (df - 2.0) * std::expm1(2.0 / df * minus_log(u));
      out.push_back(std::sqrt(square) * std::sin(angle));
    }
  }
  return out;
}

}  // namespace attnlab::reference

#endif  // ATTNLAB_TESTS_RANDOM_REFERENCE_H_
