// What softmax makes of one row of scores s_j: p_j = exp(x_j) / sum_k exp(x_k), with logits
// x = scale s / T. T = 0 is the limit: equal weights on the largest logits, none on the others.
#ifndef ATTNLAB_ANALYSIS_SOFTMAX_ROW_H_
#define ATTNLAB_ANALYSIS_SOFTMAX_ROW_H_

#include <span>

namespace attnlab {

struct RowStatistics {
  double spread = 0.0;   // max x - min x; NaN at T = 0, where it does not exist
  double entropy = 0.0;  // bits
  double max_weight = 0.0;
  double gradient_scale = 0.0;  // max p (1 - p), always reached at the largest weight
};

// Of finite scores, at least one; scale finite, temperature >= 0 (one so small that scale / T
// overflows counts as 0). Right for scores of any size: only differences to the largest are
// exponentiated, and 1 - p is summed from the other weights.
RowStatistics softmax_row(std::span<const double> scores, double scale, double temperature);

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_SOFTMAX_ROW_H_
