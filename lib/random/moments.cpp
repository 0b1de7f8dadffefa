#include "random/moments.h"

#include <limits>

namespace attnlab {

CentralMoments CentralMoments::of(std::span<const double> values) {
  CentralMoments out;
  out.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return out;
  double sum = 0.0;
  for (const double value : values) sum += value;
  out.mean = sum / static_cast<double>(out.count);
  for (const double value : values) {
    const double deviation = value - out.mean, square = deviation * deviation;
    out.m2 += square;
    out.m3 += square * deviation;
    out.m4 += square * square;
  }
  return out;
}

CentralMoments CentralMoments::of_power_sums(std::int64_t count, double shift, double s1, double s2,
                                             double s3, double s4) {
  CentralMoments out;
  out.count = count;
  if (count == 0) return out;
  const double n = static_cast<double>(count), delta = s1 / n;
  out.mean = shift + delta;
  out.m2 = s2 - delta * s1;
  out.m3 = s3 - delta * (3.0 * s2 - 2.0 * delta * s1);
  out.m4 = s4 - delta * (4.0 * s3 - delta * (6.0 * s2 - 3.0 * delta * s1));
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
