// Mean and central moments up to the fourth of a sample that arrives in parts.
// Pebay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
// statistical moments, Sandia report SAND2008-6212, 2008, equations 2.1 and 3.1.
#ifndef ATTNLAB_RANDOM_MOMENTS_H_
#define ATTNLAB_RANDOM_MOMENTS_H_

#include <cstdint>
#include <span>

namespace attnlab {

struct CentralMoments {
  std::int64_t count = 0;
  double mean = 0.0;
  double m2 = 0.0, m3 = 0.0, m4 = 0.0;  // sums of powers of the deviations from the mean

  // Of the given values, in two passes.
  static CentralMoments of(std::span<const double> values);

  // Adds the other part; the order of merging decides the last bits.
  void merge(const CentralMoments& other);

  // About the mean, divided by count - ddof; NaN if count <= ddof.
  double variance(int ddof) const;
  // m4 / m2^2 without the normal law's 3; NaN if all values are equal.
  double excess_kurtosis() const;
};

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_MOMENTS_H_
