// Samples of a known law with seeded noise.
#ifndef ATTNLAB_TESTS_MEASURE_SYNTHETIC_H_
#define ATTNLAB_TESTS_MEASURE_SYNTHETIC_H_

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "measure/replicates.h"

namespace attnlab {

using Law = std::function<double(double n)>;

// Ten equal samples a size: no noise at all.
inline std::vector<SizedSamples> exact(const std::vector<double>& sizes, const Law& law) {
  std::vector<SizedSamples> out;
  for (const double n : sizes) out.push_back({n, {std::vector<double>(10, law(n))}});
  return out;
}

// `each` samples a size in each of `processes` processes, with relative normal noise.
inline std::vector<SizedSamples> noisy(const std::vector<double>& sizes, const Law& law,
                                       double noise, std::mt19937_64& bits,
                                       std::size_t processes = 1, std::size_t each = 10) {
  std::normal_distribution<double> normal;
  std::vector<SizedSamples> out;
  for (const double n : sizes) {
    ProcessSamples& samples = out.emplace_back(SizedSamples{n, ProcessSamples(processes)}).samples;
    for (auto& own : samples) {
      for (std::size_t i = 0; i < each; ++i) own.push_back(law(n) * (1 + noise * normal(bits)));
    }
  }
  return out;
}

inline const std::vector<double> kFiveSizes{64, 128, 256, 512, 1024};
inline const std::vector<double> kEightSizes{64, 128, 256, 512, 1024, 2048, 4096, 8192};

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_MEASURE_SYNTHETIC_H_
