// Times several subjects against each other: warm-up, calls batched until a sample is long enough
// for the clock, then rounds in which every subject is timed once, in an order drawn anew for each
// round. What disturbs the machine for a while then disturbs all subjects alike (Kalibera & Jones,
// Rigorous Benchmarking in Reasonable Time, 2013, on why order and repetition must be random).
#ifndef ATTNLAB_MEASURE_SAMPLER_H_
#define ATTNLAB_MEASURE_SAMPLER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/watch.h"

namespace attnlab {

// Seconds since some moment; tests have one of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now() = 0;
};

// The steady clock of the system.
class SteadyClock : public Clock {
 public:
  double now() override;
};

struct Subject {
  std::function<void()> call;
  // Runs beside the subject, once before each of its samples, and returns the work that it did (in
  // FLOPs): the probe of the peak. Null for none.
  std::function<double()> probe = nullptr;
};

struct SamplerSettings {
  std::int64_t repeats = 10;  // samples of each subject
  std::int64_t warmup = 1;    // calls of each subject before anything is timed
  double min_time = 0.01;     // seconds that a sample lasts at least
  std::uint64_t seed = 1;     // of the order
};

struct Series {
  std::vector<double> samples;      // seconds a call, in order of measurement
  std::vector<std::int64_t> order;  // when each was taken: 0 is the first sample of all subjects
  std::int64_t batch = 1;           // calls a sample
  double peak = 0;                  // the probe's best rate, work a second; 0 without a probe
};

// One series a subject. When the watch says stopped, the series are incomplete.
std::vector<Series> take_samples(std::span<const Subject> subjects, const SamplerSettings& settings,
                                 Clock& clock, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_MEASURE_SAMPLER_H_
