#include "measure/fit_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnlab {
namespace {

// The 99 % quantile of chi-square (Wilson & Hilferty 1931).
double chi_square_limit(double degrees) {
  constexpr double kNormal = 2.326348;
  const double part = 2 / (9 * degrees);
  const double root = 1 - part + kNormal * std::sqrt(part);
  return degrees * root * root * root;
}

// Whether the signs change as rarely as they can or less often than chance would have it. A fit of
// p parameters always leaves p changes of sign (its powers of n are a Chebyshev system): p + 1 runs
// are the fewest. Beyond that, the test of Wald & Wolfowitz (1940) at 5 %.
bool runs_are_long(std::span<const double> residuals, std::size_t parameters) {
  double runs = 1, above = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    above += residuals[i] > 0;
    if (i > 0) runs += (residuals[i] > 0) != (residuals[i - 1] > 0);
  }
  if (runs <= static_cast<double>(parameters) + 1) return true;
  const double all = static_cast<double>(residuals.size());
  const double mean = 2 * above * (all - above) / all + 1;
  const double deviation = std::sqrt((mean - 1) * (mean - 2) / (all - 1));
  return runs < mean - 1.645 * deviation;
}

bool noise_explains(std::span<const double> residuals, std::size_t parameters,
                    std::span<const double> noise) {
  double sum = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    sum += residuals[i] * residuals[i] / (noise[i] * noise[i]);
  }
  return sum <= chi_square_limit(static_cast<double>(residuals.size() - parameters));
}

// "+ + - - +"
std::string signs_of(std::span<const double> residuals) {
  std::string out;
  for (const double residual : residuals) out += residual > 0 ? '+' : '-';
  return out;
}

}  // namespace

std::vector<double> relative_noise(std::span<const SizedSamples> sizes,
                                   const MedianReplicates& replicates) {
  constexpr double kUnknown = 0.05, kLeast = 0.001;
  if (!replicates.is_meaningful()) return std::vector<double>(sizes.size(), kUnknown);
  std::vector<double> out;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    const double centre = median(pooled(sizes[size].samples));
    double squares = 0;
    for (std::size_t i = 0; i < replicates.size(); ++i) {
      squares += std::pow(replicates[i][size] / centre - 1, 2);
    }
    out.push_back(std::max(kLeast, std::sqrt(squares / static_cast<double>(replicates.size()))));
  }
  return out;
}

bool has_negative_intercept(const Fit& fit, const std::optional<Interval>& intercept,
                            double shortest) {
  constexpr double kRounding = 1e-9;
  const double highest = intercept ? intercept->high : fit.b.value_or(0);
  return fit.b && *fit.b < -kRounding * shortest && highest < 0;
}

std::vector<std::string> warnings_of(const Fit& fit, const std::optional<Interval>& intercept,
                                     double shortest, std::span<const double> noise) {
  std::vector<std::string> out;
  const std::size_t sizes = fit.residuals.size(), parameters = fit.form().parameters();
  if (sizes < 4) {
    out.push_back(fmt::format(
        "only {} sizes: little is left to test the model; measure four or more", sizes));
  }
  if (has_negative_intercept(fit, intercept, shortest)) {
    out.push_back(fmt::format(
        "negative intercept: no time is below 0, so a term is missing or the smallest sizes follow "
        "another law; {}begin at a larger n",
        fit.c ? "" : "take a model with a linear term, or "));
  }
  if (sizes >= parameters + 3 && runs_are_long(fit.residuals, parameters) &&
      !noise_explains(fit.residuals, parameters, noise)) {
    const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = *std::max_element(fit.residuals.begin(), fit.residuals.end(), by_size);
    out.push_back(
        fmt::format("residuals have a shape ({}, up to {:.2g} %): the model lacks a term or a "
                    "cache is outgrown "
                    "on the way; prefer another model, or fit a narrower range of n",
                    signs_of(fit.residuals), 100 * std::abs(largest)));
  }
  return out;
}

}  // namespace attnlab
