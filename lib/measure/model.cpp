#include "measure/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "measure/least_squares.h"

namespace attnlab {
namespace {

constexpr ModelForm kForms[] = {
    {"c n + b", std::nullopt, 1, 0},
    {"a n^2 + b", 2, std::nullopt, 0},
    {"a n^3 + b", 3, std::nullopt, 0},
    {"a n^exponent", std::nullopt, std::nullopt, std::nullopt, true},
    {"a n^2 + c n + b", 2, 1, 0},
    {"a n^3 + c n^2 + b", 3, 2, 0},
};

// The letters of a polynomial in a fixed order: powers in the form, values in the coefficients.
std::array<std::optional<int>, 3> powers_of(const ModelForm& form) {
  return {form.a, form.c, form.b};
}
std::array<std::optional<double>*, 3> places_in(ModelCoefficients& coefficients) {
  return {&coefficients.a, &coefficients.c, &coefficients.b};
}

std::optional<ModelCoefficients> fit_power_law(std::span<const double> n,
                                               std::span<const double> y) {
  std::vector<double> log_n, log_y;
  for (const double value : n) log_n.push_back(std::log(value));
  for (const double value : y) log_y.push_back(std::log(value));
  // About the first size, lest the two columns be nearly parallel at large n.
  const double origin = log_n.front();
  for (double& value : log_n) value -= origin;
  const auto line = least_squares({log_n, std::vector<double>(n.size(), 1.0)}, log_y);
  if (!line) return std::nullopt;
  ModelCoefficients out;
  out.exponent = (*line)[0];
  out.a = std::exp((*line)[1] - (*line)[0] * origin);
  return out;
}

}  // namespace

std::size_t ModelForm::parameters() const {
  return is_power_law ? 2 : std::size_t{a.has_value()} + c.has_value() + b.has_value();
}

std::span<const ModelForm> model_forms() { return kForms; }

const ModelForm* find_model_form(std::string_view name) {
  const auto* found = std::find_if(std::begin(kForms), std::end(kForms),
                                   [&](const ModelForm& form) { return form.name == name; });
  return found == std::end(kForms) ? nullptr : found;
}

double model_value(const ModelForm& form, const ModelCoefficients& coefficients, double n) {
  if (form.is_power_law) return *coefficients.a * std::pow(n, *coefficients.exponent);
  double out = 0;
  if (form.a) out += *coefficients.a * std::pow(n, *form.a);
  if (form.c) out += *coefficients.c * std::pow(n, *form.c);
  if (form.b) out += *coefficients.b * std::pow(n, *form.b);
  return out;
}

std::optional<ModelCoefficients> fit_model(const ModelForm& form, std::span<const double> n,
                                           std::span<const double> y) {
  ATTNLAB_CHECK(n.size() == y.size());
  if (n.size() < form.parameters()) return std::nullopt;
  if (form.is_power_law) return fit_power_law(n, y);
  std::vector<std::vector<double>> columns;
  for (const auto& power : powers_of(form)) {
    if (!power) continue;
    std::vector<double>& column = columns.emplace_back();
    for (std::size_t i = 0; i < n.size(); ++i) column.push_back(std::pow(n[i], *power) / y[i]);
  }
  const auto solution = least_squares(columns, std::vector<double>(n.size(), 1.0));
  if (!solution) return std::nullopt;
  ModelCoefficients out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (powers_of(form)[i]) *places_in(out)[i] = (*solution)[next++];
  }
  return out;
}

}  // namespace attnlab
