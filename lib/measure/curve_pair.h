// Two curves at the sizes that both have: the logarithm of the ratio of their times, as measured
// and in every bootstrap replicate, and what can be told of their order.
#ifndef ATTNLAB_MEASURE_CURVE_PAIR_H_
#define ATTNLAB_MEASURE_CURVE_PAIR_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/replicates.h"

namespace attnlab {

// A curve ready to be compared: usable sizes and their replicates.
struct PreparedCurve {
  std::vector<SizedSamples> sizes;
  MedianReplicates replicates;
};

class CurvePair {
 public:
  CurvePair(const PreparedCurve& first, const PreparedCurve& second);

  const std::vector<double>& n() const { return n_; }
  bool has_intervals() const { return !replicates_.empty(); }
  // 1: the first curve is slower at this size, -1: the second is, 0: that cannot be told.
  const std::vector<int>& order() const { return order_; }

  // A change of order between two decided sizes that have no decided size between them.
  struct Crossing {
    std::size_t before, after;  // indices of the sizes
    double n;
    int slower;  // beyond it, as in order()
  };
  std::vector<Crossing> crossings() const;

  // The ends of the 95 % interval of a crossing; an end beyond the sizes has no value.
  struct OpenInterval {
    std::optional<double> low, high;
  };
  OpenInterval interval_of(const Crossing& crossing) const;

 private:
  std::vector<double> n_, log_ratio_;
  std::vector<std::vector<double>> replicates_;  // [resample][size]
  std::size_t processes_ = 0;
  std::vector<int> order_;
};

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_CURVE_PAIR_H_
