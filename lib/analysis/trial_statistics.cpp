#include "analysis/trial_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/softmax_rows.h"
#include "base/check.h"

namespace attnlab {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLanes = 16;  // the most of any instruction set, in scores and in rows

// A task's trials: their scores stay near 128 KiB where they can. Depends on the number of keys
// alone, so that any team gives the same bits.
std::int64_t chunk_trials(const ScoreSettings& settings) {
  return std::clamp<std::int64_t>(16384 / settings.keys / kLanes * kLanes, kLanes, 1024);
}

// One thread's scratch.
struct Scratch {
  std::vector<double> scores;
  std::vector<float> query;
};

// scores [keys, stride] of trials first .. first + count - 1, by mulberry32.
void draw_mulberry32(const ScoreSettings& settings, std::int64_t first, std::int64_t count,
                     std::int64_t stride, std::vector<double>& scores) {
  const auto keys = static_cast<std::size_t>(settings.keys);
  std::vector<double> row(keys);
  for (std::int64_t trial = 0; trial < count; ++trial) {
    draw_scores(settings, first + trial, row);
    for (std::size_t key = 0; key < keys; ++key) {
      scores[key * static_cast<std::size_t>(stride) + static_cast<std::size_t>(trial)] = row[key];
    }
  }
}

}  // namespace

TrialStatistics run_trials(const ScoreSettings& settings, double scale, double temperature,
                           std::int64_t trials, ThreadTeam& team, Watch& watch, Isa isa) {
  ATTNLAB_CHECK(trials >= 0);
  TrialStatistics out;
  const std::int64_t padded = (trials + kLanes - 1) / kLanes * kLanes;
  for (auto* values : {&out.spread, &out.entropy, &out.max_weight, &out.gradient_scale}) {
    values->resize(static_cast<std::size_t>(padded));
  }
  const std::int64_t chunk = std::min(chunk_trials(settings), padded);
  const std::int64_t chunks = trials == 0 ? 0 : (trials + chunk - 1) / chunk;
  std::vector<Scratch> scratch(static_cast<std::size_t>(team.threads()));
  for (Scratch& one : scratch) {
    one.scores.resize(static_cast<std::size_t>(chunk * settings.keys));
  }
  // Between two looks at the watch: some 10 ms a thread.
  const double products = static_cast<double>(chunk) * static_cast<double>(settings.keys) *
                          static_cast<double>(settings.d);
  const auto wave =
      static_cast<std::int64_t>(std::clamp(1e7 / products, 1.0, 64.0)) * team.threads();
  for (std::int64_t begin = 0; begin < chunks && !watch.stopped(); begin += wave) {
    const std::int64_t count = std::min(wave, chunks - begin);
    team.run(count, [&](std::int64_t task, int worker) {
      Scratch& mine = scratch[static_cast<std::size_t>(worker)];
      const std::int64_t first = (begin + task) * chunk, rows = std::min(chunk, trials - first);
      if (settings.rng == Rng::kMulberry32) {
        draw_mulberry32(settings, first, rows, chunk, mine.scores);
      } else {
        draw_scores_by_key(settings, first, rows, chunk, mine.scores, mine.query, &watch, isa);
      }
      softmax_rows(mine.scores.data(), settings.keys, chunk, rows, scale, temperature,
                   {out.spread.data() + first, out.entropy.data() + first,
                    out.max_weight.data() + first, out.gradient_scale.data() + first},
                   isa);
    });
    watch.progress(static_cast<double>(begin + count) / static_cast<double>(chunks));
  }
  for (auto* values : {&out.spread, &out.entropy, &out.max_weight, &out.gradient_scale}) {
    values->resize(static_cast<std::size_t>(trials));
  }
  return out;
}

double trial_statistics_bytes(const ScoreSettings& settings, std::int64_t trials, int threads) {
  const double scores = static_cast<double>(chunk_trials(settings) * settings.keys);
  const double query = settings.design == Design::kShared
                           ? static_cast<double>(kLanes) * static_cast<double>(settings.d + 3)
                           : 0.0;
  return 8.0 * 5.0 * static_cast<double>(trials + kLanes) + threads * (8.0 * scores + 4.0 * query);
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
