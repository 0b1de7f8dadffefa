#include "measure/fit.h"

#include <algorithm>
#include <cmath>

#include "measure/fit_warnings.h"
#include "measure/resample.h"

namespace attnlab {
namespace {

constexpr double kCubicFrom = 2.3;  // exponent
constexpr double kAsGood = 1.5;     // left-out errors within this factor count as equal
constexpr double kRounding = 1e-9;  // relative errors below it are nothing but rounding

std::vector<double> relative_residuals(const ModelForm& form, const ModelCoefficients& model,
                                       std::span<const double> n, std::span<const double> y) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n.size(); ++i) {
    out.push_back((y[i] - model_value(form, model, n[i])) / y[i]);
  }
  return out;
}

double sum_of_squares(std::span<const double> values) {
  double out = 0;
  for (const double value : values) out += value * value;
  return out;
}

// Against the constant that itself has the least relative errors.
double r_squared(std::span<const double> residuals, std::span<const double> y) {
  double weighted = 0, weights = 0;
  for (const double value : y) {
    weighted += 1 / value;
    weights += 1 / (value * value);
  }
  std::vector<double> about_constant;
  for (const double value : y) about_constant.push_back((value - weighted / weights) / value);
  const double total = sum_of_squares(about_constant);
  return total == 0 ? 1 : 1 - sum_of_squares(residuals) / total;
}

std::optional<double> left_out_error(const ModelForm& form, std::span<const double> n,
                                     std::span<const double> y) {
  double squares = 0;
  for (std::size_t left = 0; left < n.size(); ++left) {
    std::vector<double> other_n(n.begin(), n.end()), other_y(y.begin(), y.end());
    other_n.erase(other_n.begin() + static_cast<std::ptrdiff_t>(left));
    other_y.erase(other_y.begin() + static_cast<std::ptrdiff_t>(left));
    const auto model = fit_model(form, other_n, other_y);
    if (!model) return std::nullopt;
    const double predicted = model_value(form, *model, n[left]);
    if (!(predicted > 0)) return INFINITY;
    const double error = std::log(predicted / y[left]);
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(n.size()));
}

void choose_preferred(std::vector<Fit>& fits, const std::vector<bool>& is_possible) {
  double least = INFINITY;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (is_possible[i]) least = std::min(least, fits[i].left_out_error.value_or(INFINITY));
  }
  if (least == INFINITY) return;
  Fit* best = nullptr;
  for (std::size_t i = 0; i < fits.size(); ++i) {  // fewest parameters first
    Fit& fit = fits[i];
    if (!is_possible[i] || !fit.left_out_error ||
        *fit.left_out_error > std::max(kAsGood * least, kRounding)) {
      continue;
    }
    const bool is_simpler = best == nullptr || fit.form().parameters() < best->form().parameters();
    const bool is_as_simple =
        best != nullptr && fit.form().parameters() == best->form().parameters();
    if (is_simpler || (is_as_simple && *fit.left_out_error < *best->left_out_error)) best = &fit;
  }
  if (best != nullptr) best->preferred = true;
}

// The 95 % interval of a coefficient of the model over the replicates.
template <class Get>
std::optional<Interval> interval_of(const ModelForm& form, std::span<const double> n,
                                    const MedianReplicates& replicates, Get get) {
  if (!replicates.is_meaningful()) return std::nullopt;
  std::vector<double> values;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    if (const auto model = fit_model(form, n, replicates[i])) values.push_back(*get(*model));
  }
  if (values.empty()) return std::nullopt;
  return percentile_interval(values, replicates.processes());
}

}  // namespace

std::vector<Fit> fit_times(std::span<const SizedSamples> sizes, std::uint64_t seed) {
  const std::vector<SizedSamples> usable = usable_sizes(sizes);
  std::vector<double> n, y;
  for (const SizedSamples& one : usable) {
    n.push_back(one.n);
    y.push_back(median(pooled(one.samples)));
  }
  std::vector<Fit> out;
  if (n.size() < 2) return out;
  const MedianReplicates replicates(usable, seed, 0);
  const std::vector<double> noise = relative_noise(usable, replicates);
  std::vector<bool> is_possible;  // a fit: no time is below 0
  const bool is_steep = power_exponent(n, y).value_or(0) > kCubicFrom;
  for (const ModelForm& form : model_forms()) {
    if (form.a == 3 && !is_steep) continue;
    const auto model = fit_model(form, n, y);
    if (!model) continue;
    Fit& fit = out.emplace_back();
    fit.model = form.name;
    fit.a = model->a;
    fit.b = model->b;
    fit.c = model->c;
    fit.exponent = model->exponent;
    fit.residuals = relative_residuals(form, *model, n, y);
    fit.r2 = r_squared(fit.residuals, y);
    fit.left_out_error = left_out_error(form, n, y);
    std::optional<Interval> intercept;
    if (form.is_power_law) {
      const auto interval = interval_of(form, n, replicates,
                                        [](const ModelCoefficients& one) { return one.exponent; });
      if (interval) fit.exponent_low = interval->low;
      if (interval) fit.exponent_high = interval->high;
    } else {
      intercept =
          interval_of(form, n, replicates, [](const ModelCoefficients& one) { return one.b; });
    }
    is_possible.push_back(!has_negative_intercept(fit, intercept, y.front()));
    fit.warnings = warnings_of(fit, intercept, y.front(), noise);
  }
  choose_preferred(out, is_possible);
  return out;
}

const Fit* preferred_fit(std::span<const Fit> fits) {
  for (const Fit& fit : fits) {
    if (fit.preferred) return &fit;
  }
  return nullptr;
}

std::vector<double> local_exponents(std::span<const double> n, std::span<const double> y) {
  std::vector<double> out;
  for (std::size_t i = 1; i < n.size(); ++i) {
    out.push_back(std::log(y[i] / y[i - 1]) / std::log(n[i] / n[i - 1]));
  }
  return out;
}

std::optional<double> power_exponent(std::span<const double> n, std::span<const double> y) {
  const auto is_positive = [](double value) { return value > 0; };
  if (n.size() < 2 || !std::all_of(y.begin(), y.end(), is_positive)) return std::nullopt;
  const auto model = fit_model(*find_model_form("a n^exponent"), n, y);
  return model ? model->exponent : std::nullopt;
}

}  // namespace attnlab
