// The forms that a time can have as a function of the size n, and their fit to medians.
// Polynomials are fitted by least squares of the relative error, (t - model) / t: every size counts
// alike, however small its time. The power law is the line of least squares through log t, log n.
#ifndef ATTNLAB_MEASURE_MODEL_H_
#define ATTNLAB_MEASURE_MODEL_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace attnlab {

// "a n^2 + c n + b". The letters mean the same in every form but the cubic ones: a is the
// coefficient of the highest power above n, c that of the power between, b the intercept.
struct ModelForm {
  std::string_view name;
  // The powers of n that a letter multiplies; no value where the form has no such letter.
  std::optional<int> a, c, b;
  bool is_power_law = false;  // a n^exponent

  std::size_t parameters() const;
};

// Every form, those of fewest parameters first.
std::span<const ModelForm> model_forms();
const ModelForm* find_model_form(std::string_view name);  // nullptr when unknown

struct ModelCoefficients {
  std::optional<double> a, b, c, exponent;
};

// The time that the model gives at n > 0.
double model_value(const ModelForm& form, const ModelCoefficients& coefficients, double n);

// The best coefficients for times y > 0 at n > 0; no value where there are fewer sizes than
// parameters.
std::optional<ModelCoefficients> fit_model(const ModelForm& form, std::span<const double> n,
                                           std::span<const double> y);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_MODEL_H_
