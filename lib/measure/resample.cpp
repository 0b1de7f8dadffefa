#include "measure/resample.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace attnlab {
namespace {

// The 97.5 % quantile of Student's t by its expansion in 1/nu about the normal quantile (Abramowitz
// & Stegun 26.7.5); exact values where few degrees of freedom make that too rough.
double student_quantile(std::size_t degrees) {
  constexpr double kExact[] = {12.706205, 4.302653, 3.182446, 2.776445};
  if (degrees <= std::size(kExact)) return kExact[degrees - 1];
  const double x = 1.959963985, nu = static_cast<double>(degrees);
  const double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
  return x + (x3 + x) / (4 * nu) + (5 * x5 + 16 * x3 + 3 * x) / (96 * nu * nu) +
         (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * nu * nu * nu);
}

}  // namespace

std::size_t Resampler::below(std::size_t count) {
  // Its bias, count / 2^32, is nothing beside the noise of a bootstrap.
  return static_cast<std::size_t>(((bits_() >> 32) * count) >> 32);
}

std::vector<std::size_t> Resampler::draw_processes(std::size_t count) {
  std::vector<std::size_t> out(count);
  for (std::size_t& process : out) process = below(count);
  return out;
}

void Resampler::draw_samples(const ProcessSamples& samples,
                             const std::vector<std::size_t>& processes, std::vector<double>& out) {
  for (const std::size_t process : processes) {
    const std::vector<double>& own = samples[process];
    for (std::size_t i = 0; i < own.size(); ++i) out.push_back(own[below(own.size())]);
  }
}

ProcessSamples without_empty(const ProcessSamples& samples) {
  ProcessSamples out;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(out),
               [](const std::vector<double>& own) { return !own.empty(); });
  return out;
}

Interval percentile_interval(const std::vector<double>& values, std::size_t processes) {
  double tail = 0.025;
  if (processes >= 2) {
    const double count = static_cast<double>(processes);
    const double z = student_quantile(processes - 1) * std::sqrt(count / (count - 1));
    tail = 0.5 * std::erfc(z / std::sqrt(2.0));
  }
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace attnlab
