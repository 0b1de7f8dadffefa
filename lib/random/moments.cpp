#include "random/moments.h"

#include <limits>

namespace attnlab {
namespace {

// Eight sums side by side, in the same order on every machine: fast without reordering by the
// compiler, and more accurate than one.
struct Sums {
  static constexpr std::size_t kWidth = 8;
  double part[kWidth] = {};

  double total() const {
    return ((part[0] + part[1]) + (part[2] + part[3])) +
           ((part[4] + part[5]) + (part[6] + part[7]));
  }
};

}  // namespace

CentralMoments CentralMoments::of(std::span<const double> values) {
  CentralMoments out;
  out.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return out;
  const std::size_t whole = values.size() / Sums::kWidth * Sums::kWidth;
  Sums s1, s2, s3, s4;
  const auto add = [&](std::size_t i, std::size_t lane) {
    const double deviation = values[i] - out.mean, square = deviation * deviation;
    s2.part[lane] += square;
    s3.part[lane] += square * deviation;
    s4.part[lane] += square * square;
  };
  for (std::size_t i = 0; i < whole; i += Sums::kWidth) {
    for (std::size_t lane = 0; lane < Sums::kWidth; ++lane) s1.part[lane] += values[i + lane];
  }
  for (std::size_t i = whole; i < values.size(); ++i) s1.part[i - whole] += values[i];
  out.mean = s1.total() / static_cast<double>(out.count);
  for (std::size_t i = 0; i < whole; i += Sums::kWidth) {
    for (std::size_t lane = 0; lane < Sums::kWidth; ++lane) add(i + lane, lane);
  }
  for (std::size_t i = whole; i < values.size(); ++i) add(i, i - whole);
  out.m2 = s2.total();
  out.m3 = s3.total();
  out.m4 = s4.total();
  return out;
}

void CentralMoments::merge(const CentralMoments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double na = static_cast<double>(count), nb = static_cast<double>(other.count), n = na + nb;
  const double delta = other.mean - mean, delta_n = delta / n;
  const double cross = delta * delta_n * na * nb;
  const double merged_m4 = m4 + other.m4 +
                           cross * delta_n * delta_n * (na * na - na * nb + nb * nb) +
                           6.0 * delta_n * delta_n * (na * na * other.m2 + nb * nb * m2) +
                           4.0 * delta_n * (na * other.m3 - nb * m3);
  const double merged_m3 =
      m3 + other.m3 + cross * delta_n * (na - nb) + 3.0 * delta_n * (na * other.m2 - nb * m2);
  m2 += other.m2 + cross;
  m3 = merged_m3;
  m4 = merged_m4;
  mean += delta_n * nb;
  count += other.count;
}

double CentralMoments::variance(int ddof) const {
  if (count <= ddof) return std::numeric_limits<double>::quiet_NaN();
  return m2 / static_cast<double>(count - ddof);
}

double CentralMoments::excess_kurtosis() const {
  if (!(m2 > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(count) * m4 / (m2 * m2) - 3.0;
}

}  // namespace attnlab
