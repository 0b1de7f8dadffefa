#include "measure/resample.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>

namespace attnlab {

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
    const boost::math::students_t law(count - 1);
    const double z =
        boost::math::quantile(boost::math::complement(law, 0.025)) * std::sqrt(count / (count - 1));
    tail = 0.5 * std::erfc(z / std::sqrt(2.0));
  }
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace attnlab
