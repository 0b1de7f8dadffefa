// The readouts of a head, or of many together: what its rows (attention_statistics.h) come to, and
// the flags that they earn.
#ifndef ATTNLAB_ANALYSIS_READOUTS_H_
#define ATTNLAB_ANALYSIS_READOUTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/attention_statistics.h"

namespace attnlab {

// Of rows that see a key and are finite. NaN where there is no such row, or at temperature 0 where
// a number does not exist (spread).
struct Readouts {
  std::int64_t rows = 0, masked_rows = 0, nonfinite_rows = 0;
  double entropy = 0, entropy_min = 0, entropy_max = 0;  // bits; the first is the mean
  double max_weight = 0, mean_max_weight = 0;            // over all weights; mean of the rows' own
  double spread = 0;                                     // largest minus smallest x of all rows
  double gradient_scale = 0, mean_gradient_scale = 0;
  double max_logit = 0, max_logit_unscaled = 0;  // largest |scale q.k|, largest |q.k|
  double sink_mass = 0;                          // mean weight on key 0, over the rows that see it
  double effective_keys = 0;                     // mean of 2^entropy
  double zero_share = 0;                         // of the weights of visible keys
};

// Sums from which readouts are made; those of several heads can be put together.
class ReadoutSums {
 public:
  // scale: what q.k is multiplied by; temperature as in the problem.
  void add(std::span<const AttentionRow> rows, std::int64_t zeros, double scale,
           double temperature);
  void merge(const ReadoutSums& other);
  Readouts readouts() const;
  // The flags that apply, in the order of flag_rules().
  std::vector<std::string_view> flags() const;

 private:
  double temperature_ = 1;
  std::int64_t rows_ = 0, masked_rows_ = 0, nonfinite_rows_ = 0, first_rows_ = 0, zeros_ = 0;
  double visible_ = 0, visible_bits_ = 0;  // keys; their log2
  double entropy_ = 0, entropy_min_ = 0, entropy_max_ = 0;
  double max_weight_ = 0, max_weights_ = 0, gradient_scale_ = 0, gradient_scales_ = 0;
  double largest_ = 0, smallest_ = 0, unscaled_ = 0, max_logit_ = 0;
  double first_weight_ = 0, effective_keys_ = 0;
  // Of rows that see more than one key.
  std::int64_t wide_rows_ = 0;
  double wide_max_weights_ = 0, wide_gradient_scales_ = 0;
};

// A flag and the rule by which a head gets it.
struct FlagRule {
  std::string_view name, rule;
};
std::span<const FlagRule> flag_rules();

// The lesson's rule: the mean gradient scale of the rows that see more than one key is below the
// first, and their mean largest weight above the second.
inline constexpr double kSaturatedGradient = 0.05, kSaturatedWeight = 0.5;
inline constexpr double kCollapsedWeight = 0.99;  // mean largest weight of these rows
inline constexpr double kSinkMass = 0.3;          // mean weight of a key
inline constexpr double kUniformShare = 0.98;     // of the mean log2 of the visible keys
inline constexpr std::int64_t kSinkQueries = 64;  // that a key needs to be listed as a sink

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_READOUTS_H_
