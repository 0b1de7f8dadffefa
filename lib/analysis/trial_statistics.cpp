#include "analysis/trial_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/softmax_row.h"
#include "base/check.h"

namespace attnlab {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kWave = 64;  // chunks between two looks at the watch

// A chunk's scores stay near 128 KiB; a multiple of 16 trials, the most lanes of any target.
std::int64_t chunk_trials(const ScoreSettings& settings) {
  return std::clamp<std::int64_t>(16384 / settings.keys, 16, 1024) / 16 * 16;
}

}  // namespace

TrialStatistics run_trials(const ScoreSettings& settings, double scale, double temperature,
                           std::int64_t trials, ThreadTeam& team, Watch& watch, Isa isa) {
  ATTNLAB_CHECK(trials >= 0);
  TrialStatistics out;
  for (auto* values : {&out.spread, &out.entropy, &out.max_weight, &out.gradient_scale}) {
    values->resize(static_cast<std::size_t>(trials));
  }
  const auto keys = static_cast<std::size_t>(settings.keys);
  const std::int64_t chunk = chunk_trials(settings), chunks = (trials + chunk - 1) / chunk;
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(team.threads()));
  for (auto& buffer : buffers) buffer.resize(static_cast<std::size_t>(chunk) * keys);
  for (std::int64_t begin = 0; begin < chunks && !watch.stopped(); begin += kWave) {
    const std::int64_t count = std::min(kWave, chunks - begin);
    team.run(count, [&](std::int64_t task, int worker) {
      const std::int64_t first = (begin + task) * chunk;
      const auto rows = static_cast<std::size_t>(std::min(chunk, trials - first));
      const std::span<double> scores(buffers[static_cast<std::size_t>(worker)].data(), rows * keys);
      draw_scores(settings, first, scores, isa);
      for (std::size_t row = 0; row < rows; ++row) {
        const RowStatistics one = softmax_row(scores.subspan(row * keys, keys), scale, temperature);
        const std::size_t trial = static_cast<std::size_t>(first) + row;
        out.spread[trial] = one.spread;
        out.entropy[trial] = one.entropy;
        out.max_weight[trial] = one.max_weight;
        out.gradient_scale[trial] = one.gradient_scale;
      }
    });
    watch.progress(static_cast<double>(begin + count) / static_cast<double>(chunks));
  }
  return out;
}

double trial_statistics_bytes(const ScoreSettings& settings, std::int64_t trials, int threads) {
  const double chunk = static_cast<double>(chunk_trials(settings) * settings.keys);
  return 8.0 * (5.0 * static_cast<double>(trials) + chunk * threads);
}

Summary summarize(std::span<const double> values) {
  ATTNLAB_CHECK(!values.empty());
  const double n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (const double value : values) sum += value;
  Summary out{.mean = sum / n};
  if (std::isnan(out.mean)) {
    out.standard_error = kNaN;
    out.percentiles.fill(kNaN);
    return out;
  }
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.standard_error = values.size() > 1 ? std::sqrt(squares / (n - 1.0) / n) : kNaN;
  // Each selection leaves the larger values behind its place, where the next one is looked for.
  std::vector<double> sorted(values.begin(), values.end());
  auto begin = sorted.begin();
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    const double place = kPercentiles[i] / 100.0 * (n - 1.0), below = std::floor(place);
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(begin, at, sorted.end());
    begin = at;
    const double next = at + 1 == sorted.end() ? *at : *std::min_element(at + 1, sorted.end());
    out.percentiles[i] = *at + (place - below) * (next - *at);
  }
  return out;
}

double percentile_rank(std::span<const double> values, double value) {
  ATTNLAB_CHECK(!values.empty());
  if (std::isnan(value)) return kNaN;
  std::int64_t below = 0, equal = 0;
  for (const double other : values) {
    below += other < value;
    equal += other == value;
  }
  return 100.0 * (static_cast<double>(below) + 0.5 * static_cast<double>(equal)) /
         static_cast<double>(values.size());
}

}  // namespace attnlab
