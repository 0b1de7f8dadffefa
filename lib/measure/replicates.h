// Bootstrap replicates of a curve: the medians at every size, once a resample. All that is derived
// from a curve (fits, exponents, crossovers) gets its interval by being derived from each of them.
// A process that ran slowly did so at every size: the same processes are drawn for all sizes, and
// for all curves of the same seed; the samples within a process are drawn for each size on their
// own.
#ifndef ATTNLAB_MEASURE_REPLICATES_H_
#define ATTNLAB_MEASURE_REPLICATES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/robust.h"

namespace attnlab {

// The samples of one size n, n > 0.
struct SizedSamples {
  double n;
  ProcessSamples samples;
};

// The same in ascending order of n, one entry a size (what is there twice is put together), without
// sizes whose median is not above 0: a time of nothing is below what the clock resolves.
std::vector<SizedSamples> usable_sizes(std::span<const SizedSamples> sizes);

class MedianReplicates {
 public:
  // Of usable sizes; `curve` tells curves of one seed apart.
  MedianReplicates(std::span<const SizedSamples> sizes, std::uint64_t seed, std::uint64_t curve);

  // Whether every size has enough samples for intervals.
  bool is_meaningful() const { return is_meaningful_; }
  std::size_t size() const { return rows_.size(); }
  const std::vector<double>& operator[](std::size_t resample) const { return rows_[resample]; }
  // The fewest processes that a size has: percentile_interval() asks for it.
  std::size_t processes() const { return processes_; }

 private:
  std::vector<std::vector<double>> rows_;  // [resample][size]
  std::size_t processes_ = 0;
  bool is_meaningful_ = true;
};

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_REPLICATES_H_
