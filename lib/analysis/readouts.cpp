#include "analysis/readouts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr FlagRule kFlagRules[] = {
    {"saturated",
     "over the rows that see more than one key, the mean of max p(1-p) is below 0.05 and the mean "
     "largest weight above 0.5"},
    {"collapsed",
     "over the rows that see more than one key, the mean largest weight is above 0.99"},
    {"sink", "the mean weight on key 0, over the rows that see it, is above 0.3"},
    {"uniform", "the mean entropy is above 0.98 of the mean log2 of the visible keys"},
};

double ratio(double sum, std::int64_t count) {
  return count == 0 ? kNan : sum / static_cast<double>(count);
}

}  // namespace

std::span<const FlagRule> flag_rules() { return kFlagRules; }

void ReadoutSums::add(std::span<const AttentionRow> rows, std::int64_t zeros, double scale,
                      double temperature) {
  ReadoutSums head;
  head.temperature_ = temperature;
  head.zeros_ = zeros;
  for (const AttentionRow& row : rows) {
    if (row.is_masked() || !row.is_finite()) {
      ++(row.is_masked() ? head.masked_rows_ : head.nonfinite_rows_);
      continue;
    }
    const bool is_first = head.rows_++ == 0;
    const auto smaller = [&](double& so_far, double value) {
      so_far = is_first ? value : std::min(so_far, value);
    };
    const auto larger = [&](double& so_far, double value) {
      so_far = is_first ? value : std::max(so_far, value);
    };
    head.visible_ += static_cast<double>(row.visible);
    head.visible_bits_ += std::log2(static_cast<double>(row.visible));
    head.entropy_ += row.entropy;
    smaller(head.entropy_min_, row.entropy);
    larger(head.entropy_max_, row.entropy);
    larger(head.max_weight_, row.max_weight);
    head.max_weights_ += row.max_weight;
    larger(head.gradient_scale_, row.gradient_scale);
    head.gradient_scales_ += row.gradient_scale;
    larger(head.largest_, row.largest);
    smaller(head.smallest_, row.smallest);
    larger(head.unscaled_, row.unscaled);
    larger(head.max_logit_, std::abs(scale) * row.unscaled);
    head.effective_keys_ += std::exp2(row.entropy);
    if (!std::isnan(row.first_weight)) {
      ++head.first_rows_;
      head.first_weight_ += row.first_weight;
    }
    if (row.visible > 1) {
      ++head.wide_rows_;
      head.wide_max_weights_ += row.max_weight;
      head.wide_gradient_scales_ += row.gradient_scale;
    }
  }
  merge(head);
}

void ReadoutSums::merge(const ReadoutSums& other) {
  temperature_ = other.temperature_;
  if (rows_ == 0) {
    entropy_min_ = other.entropy_min_;
    entropy_max_ = other.entropy_max_;
    largest_ = other.largest_;
    smallest_ = other.smallest_;
  } else if (other.rows_ > 0) {
    entropy_min_ = std::min(entropy_min_, other.entropy_min_);
    entropy_max_ = std::max(entropy_max_, other.entropy_max_);
    largest_ = std::max(largest_, other.largest_);
    smallest_ = std::min(smallest_, other.smallest_);
  }
  for (double ReadoutSums::*largest : {&ReadoutSums::max_weight_, &ReadoutSums::gradient_scale_,
                                       &ReadoutSums::unscaled_, &ReadoutSums::max_logit_}) {
    this->*largest = std::max(this->*largest, other.*largest);
  }
  for (std::int64_t ReadoutSums::*count :
       {&ReadoutSums::rows_, &ReadoutSums::masked_rows_, &ReadoutSums::nonfinite_rows_,
        &ReadoutSums::first_rows_, &ReadoutSums::zeros_, &ReadoutSums::wide_rows_}) {
    this->*count += other.*count;
  }
  for (double ReadoutSums::*sum :
       {&ReadoutSums::visible_, &ReadoutSums::visible_bits_, &ReadoutSums::entropy_,
        &ReadoutSums::max_weights_, &ReadoutSums::gradient_scales_, &ReadoutSums::first_weight_,
        &ReadoutSums::effective_keys_, &ReadoutSums::wide_max_weights_,
        &ReadoutSums::wide_gradient_scales_}) {
    this->*sum += other.*sum;
  }
}

Readouts ReadoutSums::readouts() const {
  Readouts out;
  out.rows = rows_;
  out.masked_rows = masked_rows_;
  out.nonfinite_rows = nonfinite_rows_;
  const auto existing = [&](double value) { return rows_ == 0 ? kNan : value; };
  out.entropy = ratio(entropy_, rows_);
  out.entropy_min = existing(entropy_min_);
  out.entropy_max = existing(entropy_max_);
  out.max_weight = existing(max_weight_);
  out.mean_max_weight = ratio(max_weights_, rows_);
  // At temperature 0, or one so small that it comes to the same, there is no spread.
  out.spread = existing((largest_ - smallest_) / temperature_);
  if (!std::isfinite(1 / temperature_) || !std::isfinite(out.spread)) out.spread = kNan;
  out.gradient_scale = existing(gradient_scale_);
  out.mean_gradient_scale = ratio(gradient_scales_, rows_);
  out.max_logit = existing(max_logit_);
  out.max_logit_unscaled = existing(unscaled_);
  out.sink_mass = ratio(first_weight_, first_rows_);
  out.effective_keys = ratio(effective_keys_, rows_);
  out.zero_share = visible_ > 0 ? static_cast<double>(zeros_) / visible_ : kNan;
  return out;
}

std::vector<std::string_view> ReadoutSums::flags() const {
  if (rows_ == 0) return {};
  const double wide_weight = ratio(wide_max_weights_, wide_rows_);
  const bool applies[] = {
      ratio(wide_gradient_scales_, wide_rows_) < kSaturatedGradient &&
          wide_weight > kSaturatedWeight,
      wide_weight > kCollapsedWeight,
      ratio(first_weight_, first_rows_) > kSinkMass,
      visible_bits_ > 0 && entropy_ > kUniformShare * visible_bits_,
  };
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(kFlagRules); ++i) {
    if (applies[i]) out.push_back(kFlagRules[i].name);
  }
  return out;
}

}  // namespace attnlab
