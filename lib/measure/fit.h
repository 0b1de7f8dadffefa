// Times as a function of n: every form of measure/model.h fitted to the medians, with its quality,
// what it warns of, and which one is preferred.
//
// `preferred` is decided by leave-one-size-out error: each size is predicted by the fit to the
// others, and the root mean square of log(predicted / measured) is taken (of the ratio, because a
// relative error of what is predicted too low never passes 1). Preferred is the form of the fewest
// parameters whose error is at most half above the smallest, among these the one with the smallest.
// A form with a negative intercept that noise does not explain is never preferred: no time is below
// 0. (Corrected Akaike is not used: it needs more sizes than parameters + 2, and a default sweep
// has five.) With fewer sizes than parameters + 1 a form cannot be preferred; with two sizes none
// is.
#ifndef ATTNLAB_MEASURE_FIT_H_
#define ATTNLAB_MEASURE_FIT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/model.h"
#include "measure/replicates.h"

namespace attnlab {

struct Fit {
  std::string model;  // name of a ModelForm: "a n^2 + c n + b"
  std::optional<double> a, b, c;
  std::optional<double> r2;  // of the relative errors: 1 - their squares / those of a constant
  // The power law's, with its 95 % bootstrap interval; no value in the other forms.
  std::optional<double> exponent, exponent_low, exponent_high;
  bool preferred = false;
  std::optional<double> left_out_error;  // see above
  std::vector<double> residuals;         // (time - model) / time, one a usable size
  std::vector<std::string> warnings;     // each with its meaning and remedy

  const ModelForm& form() const { return *find_model_form(model); }
  ModelCoefficients coefficients() const { return {a, b, c, exponent}; }
};

// The fits to the medians of the sizes, in the order of model_forms(); empty below two usable
// sizes. Cubic forms are tried only where the time grows faster than n^2.3.
std::vector<Fit> fit_times(std::span<const SizedSamples> sizes, std::uint64_t seed);

// The preferred one, or nullptr.
const Fit* preferred_fit(std::span<const Fit> fits);

// The exponents between neighbours: log(y2 / y1) / log(n2 / n1). n ascending, y > 0.
std::vector<double> local_exponents(std::span<const double> n, std::span<const double> y);

// The slope of the line of least squares through log y, log n; no value below two sizes or where a
// y is not above 0.
std::optional<double> power_exponent(std::span<const double> n, std::span<const double> y);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_FIT_H_
