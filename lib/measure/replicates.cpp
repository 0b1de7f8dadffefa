#include "measure/replicates.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "measure/resample.h"

namespace attnlab {
namespace {

// Draws processes once a resample for each number of processes.
class ProcessDraws {
 public:
  explicit ProcessDraws(std::uint64_t seed) : seed_(seed) {}
  void next() { drawn_.clear(); }
  const std::vector<std::size_t>& of(std::size_t count) {
    const auto found = drawn_.find(count);
    if (found != drawn_.end()) return found->second;
    Resampler& resampler = resamplers_.try_emplace(count, seed_ + count).first->second;
    return drawn_[count] = resampler.draw_processes(count);
  }

 private:
  std::uint64_t seed_;
  std::map<std::size_t, Resampler> resamplers_;
  std::map<std::size_t, std::vector<std::size_t>> drawn_;
};

}  // namespace

std::vector<SizedSamples> usable_sizes(std::span<const SizedSamples> sizes) {
  std::map<double, ProcessSamples> by_size;
  for (const SizedSamples& one : sizes) {
    ATTNLAB_CHECK(one.n > 0);
    for (const auto& own : without_empty(one.samples)) by_size[one.n].push_back(own);
  }
  std::vector<SizedSamples> out;
  for (auto& [n, samples] : by_size) {
    if (median(pooled(samples)) > 0) out.push_back({n, std::move(samples)});
  }
  return out;
}

MedianReplicates::MedianReplicates(std::span<const SizedSamples> sizes, std::uint64_t seed,
                                   std::uint64_t curve) {
  for (const SizedSamples& one : sizes) {
    is_meaningful_ = is_meaningful_ && pooled(one.samples).size() >= kLeastSamples;
    const std::size_t count = one.samples.size();
    processes_ = processes_ == 0 ? count : std::min(processes_, count);
  }
  if (!is_meaningful_ || sizes.empty()) return;
  ProcessDraws processes(seed);
  Resampler resampler(seed ^ (0x9E3779B97F4A7C15u * (curve + 1)));
  std::vector<double> drawn;
  rows_.resize(kResamples);
  for (std::vector<double>& row : rows_) {
    processes.next();
    for (const SizedSamples& one : sizes) {
      drawn.clear();
      resampler.draw_samples(one.samples, processes.of(one.samples.size()), drawn);
      row.push_back(median(drawn));
    }
  }
}

}  // namespace attnlab
