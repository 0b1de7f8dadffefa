#include "measure/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace attnlab {
namespace {

constexpr std::int64_t kMostCalls = std::int64_t{1} << 40;
constexpr std::int64_t kGrowth =
    10;  // a batch grows by this factor at most from one try to the next

double seconds_of(const std::function<void()>& call, std::int64_t calls, Clock& clock) {
  const double start = clock.now();
  for (std::int64_t i = 0; i < calls; ++i) call();
  return clock.now() - start;
}

// The number of calls that last min_time; what it times on the way is warm-up.
std::int64_t batch_of(const Subject& subject, double min_time, Clock& clock, const Watch& watch) {
  std::int64_t calls = 1;
  while (!watch.stopped() && calls < kMostCalls) {
    const double seconds = seconds_of(subject.call, calls, clock);
    if (seconds >= min_time) return calls;
    const double wanted = 1.05 * static_cast<double>(calls) * min_time / seconds;  // inf for 0
    const auto most = static_cast<double>(calls * kGrowth);
    calls = std::max(calls + 1, static_cast<std::int64_t>(std::min(std::ceil(wanted), most)));
  }
  return calls;
}

// A number below `bound`, the same from one library to the next, which std::shuffle's are not.
std::size_t draw_below(std::size_t bound, std::mt19937_64& generator) {
  return static_cast<std::size_t>(generator() % bound);
}

}  // namespace

double SteadyClock::now() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}

std::vector<Series> take_samples(std::span<const Subject> subjects, const SamplerSettings& settings,
                                 Clock& clock, Watch& watch) {
  std::vector<Series> out(subjects.size());
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    for (std::int64_t i = 0; i < settings.warmup && !watch.stopped(); ++i) subjects[s].call();
    // A batch of one needs no trial where any time is long enough.
    if (settings.min_time > 0) {
      out[s].batch = batch_of(subjects[s], settings.min_time, clock, watch);
    }
  }
  std::mt19937_64 generator(settings.seed);
  std::vector<std::size_t> turns(subjects.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::int64_t taken = 0;
  const double all = static_cast<double>(settings.repeats) * static_cast<double>(subjects.size());
  for (std::int64_t round = 0; round < settings.repeats; ++round) {
    for (std::size_t i = turns.size(); i > 1; --i) {
      std::swap(turns[i - 1], turns[draw_below(i, generator)]);
    }
    for (const std::size_t turn : turns) {
      if (watch.stopped()) return out;
      Series& series = out[turn];
      if (subjects[turn].probe) {
        const double start = clock.now();
        const double work = subjects[turn].probe();
        const double seconds = clock.now() - start;
        if (seconds > 0) series.peak = std::max(series.peak, work / seconds);
      }
      const double seconds = seconds_of(subjects[turn].call, series.batch, clock);
      series.samples.push_back(seconds / static_cast<double>(series.batch));
      series.order.push_back(taken++);
      watch.progress(static_cast<double>(taken) / all);
    }
  }
  return out;
}

}  // namespace attnlab
