// Many trials against semi-analytic expectations, the lesson's percentiles, and themselves.
#include "analysis/trial_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/softmax_row.h"
#include "base/choice.h"
#include "support/catch.h"

namespace attnlab {
namespace {

TrialStatistics trials_of(const ScoreSettings& settings, double scale, double temperature,
                          std::int64_t trials, int threads = 1, Isa isa = simd_isas().back()) {
  ThreadTeam team(threads);
  Watch watch;
  return run_trials(settings, scale, temperature, trials, team, watch, isa);
}

struct Reference {
  std::int64_t d, keys;
  bool scaled;
  Design design;
  double spread, entropy, max_weight, gradient_scale;
};

std::vector<Reference> references() {
  std::ifstream file(ATTNLAB_TEST_DATA "/entropy_references.csv");
  REQUIRE(file);
  std::vector<Reference> out;
  std::string line;
  std::getline(file, line);
  REQUIRE(line == "d,n_keys,scaling,draw,E_range,E_entropy_bits,E_pmax,E_pmax_1mpmax,E_sum_p2");
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> f;
    for (std::string field; std::getline(fields, field, ',');) f.push_back(field);
    REQUIRE(f.size() == 9);
    out.push_back({std::stoll(f[0]), std::stoll(f[1]), f[2] == "scaled",
                   f[3] == "shared-q" ? Design::kShared : Design::kFresh, std::stod(f[4]),
                   std::stod(f[5]), std::stod(f[6]), std::stod(f[7])});
  }
  return out;
}

// The number of trials: ATTNLAB_REFERENCE_TRIALS, for a longer run by hand, or 10^5.
std::int64_t reference_trials() {
  const char* wanted = std::getenv("ATTNLAB_REFERENCE_TRIALS");
  return wanted ? std::stoll(wanted) : 100000;
}

}  // namespace

TEST_CASE("mean statistics meet the semi-analytic expectations within 4 standard errors",
          "[analysis]") {
  const std::int64_t trials = reference_trials();
  const std::vector<Reference> rows = references();
  REQUIRE(rows.size() == 25);
  for (const Reference& r : rows) {
    const double scale = r.scaled ? 1.0 / std::sqrt(static_cast<double>(r.d)) : 1.0;
    const TrialStatistics run =
        trials_of({.design = r.design, .d = r.d, .keys = r.keys, .seed = 20}, scale, 1.0, trials);
    const auto meets = [&](const char* name, const std::vector<double>& values, double expected) {
      const Summary summary = summarize(values);
      const double z = (summary.mean - expected) / summary.standard_error;
      CAPTURE(r.d, r.keys, r.scaled, choice_name(r.design), name, summary.mean, expected, z);
      CHECK(std::abs(z) < 4.0);
      if (trials > 100000) {
        WARN(r.d << " " << r.keys << " " << r.scaled << " " << choice_name(r.design) << " " << name
                 << " " << summary.mean << " " << expected << " z=" << z);
      }
    };
    meets("spread", run.spread, r.spread);
    meets("entropy", run.entropy, r.entropy);
    meets("max_weight", run.max_weight, r.max_weight);
    meets("gradient_scale", run.gradient_scale, r.gradient_scale);
  }
}

// The lesson's percentiles at d = 64, 8 keys, shared query, to their printed digits: the printed
// value, give or take half a digit, lies at its percentile of ours within 4 standard errors of
// both runs (theirs had 2 million trials).
TEST_CASE("percentiles are those of the lesson", "[analysis]") {
  constexpr std::int64_t kTrials = 400000;
  struct Row {
    double scale;
    std::vector<double> TrialStatistics::*values;
    double half_digit;
    double percentiles[kPercentiles.size()];
  };
  const Row rows[] = {
      {1.0, &TrialStatistics::spread, 0.005, {9.36, 12.47, 17.78, 22.12, 26.97, 34.86, 41.09}},
      {1.0,
       &TrialStatistics::entropy,
       0.00005,
       {.0000, .0001, .0208, .2447, .8461, 1.4514, 1.8192}},
      {1.0, &TrialStatistics::max_weight, 0.00005, {.4126, .5194, .7894, .9640, .9981, 1.0, 1.0}},
      {0.125, &TrialStatistics::spread, 0.0005, {1.169, 1.559, 2.223, 2.765, 3.371, 4.357, 5.136}},
      {0.125, &TrialStatistics::entropy, 0.0005, {1.484, 1.913, 2.349, 2.551, 2.696, 2.837, 2.903}},
      {0.125,
       &TrialStatistics::max_weight,
       0.00005,
       {.1892, .2157, .2728, .3339, .4213, .5962, .7294}}};
  const TrialStatistics runs[] = {trials_of({}, 1.0, 1.0, kTrials),
                                  trials_of({}, 0.125, 1.0, kTrials)};
  for (const Row& row : rows) {
    const std::vector<double>& values = runs[row.scale == 1.0 ? 0 : 1].*row.values;
    for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
      const double p = kPercentiles[i], printed = row.percentiles[i];
      const double error = std::sqrt(p * (100.0 - p) * (1.0 / kTrials + 1.0 / 2e6));
      CAPTURE(row.scale, printed, p);
      CHECK(percentile_rank(values, printed - row.half_digit) < p + 4.0 * error);
      CHECK(percentile_rank(values, printed + row.half_digit) > p - 4.0 * error);
    }
  }
}

TEST_CASE("the lesson's printed run is not a typical one", "[analysis]") {
  const ScoreSettings printed{.design = Design::kFresh, .rng = Rng::kMulberry32, .seed = 5};
  const TrialStatistics run = trials_of(printed, 1.0, 1.0, 1);
  const TrialStatistics others = trials_of({.design = Design::kFresh}, 1.0, 1.0, 400000);
  CHECK(run.entropy[0] == Approx(0.9937186358545341).epsilon(1e-10));
  CHECK(percentile_rank(others.entropy, run.entropy[0]) == Approx(82.3).margin(0.3));
  CHECK(percentile_rank(others.max_weight, run.max_weight[0]) == Approx(6.8).margin(0.2));
  // its gradient scale falls with the scale on, although on average it rises
  const TrialStatistics scaled = trials_of(printed, 0.125, 1.0, 1);
  CHECK(scaled.gradient_scale[0] < run.gradient_scale[0]);
  CHECK(summarize(trials_of({.design = Design::kFresh}, 0.125, 1.0, 20000).gradient_scale).mean >
        summarize(others.gradient_scale).mean);
}

TEST_CASE("any number of threads and trials gives the same bits", "[analysis]") {
  for (const Design design : {Design::kShared, Design::kFresh}) {
    for (const Rng rng : {Rng::kPhilox, Rng::kMulberry32}) {
      for (const std::int64_t trials : {1, 15, 1001, 3333}) {
        CAPTURE(choice_name(design), choice_name(rng), trials);
        const ScoreSettings settings{.design = design, .d = 20, .keys = 9, .rng = rng, .seed = 6};
        const TrialStatistics one = trials_of(settings, 1.0, 0.5, trials);
        REQUIRE(one.entropy.size() == static_cast<std::size_t>(trials));
        for (const int threads : {2, 3, 7}) {
          const TrialStatistics other = trials_of(settings, 1.0, 0.5, trials, threads);
          CHECK(other.spread == one.spread);
          CHECK(other.entropy == one.entropy);
          CHECK(other.max_weight == one.max_weight);
          CHECK(other.gradient_scale == one.gradient_scale);
        }
      }
    }
  }
}

TEST_CASE("a trial is the softmax of its own scores, however many trials there are", "[analysis]") {
  for (const Rng rng : {Rng::kPhilox, Rng::kMulberry32}) {
    for (const std::int64_t keys : {1, 8, 3000}) {
      CAPTURE(choice_name(rng), keys);
      const ScoreSettings settings{.d = 5, .keys = keys, .rng = rng, .seed = 3};
      constexpr std::int64_t kTrials = 37;
      const TrialStatistics run = trials_of(settings, 0.4, 2.0, kTrials, 2);
      std::vector<double> scores(static_cast<std::size_t>(keys));
      for (std::int64_t trial = 0; trial < kTrials; ++trial) {
        draw_scores(settings, trial, scores);
        const RowStatistics row = softmax_row(scores, 0.4, 2.0);
        const auto at = static_cast<std::size_t>(trial);
        CHECK(run.spread[at] == Approx(row.spread).epsilon(1e-14));
        CHECK(run.entropy[at] == Approx(row.entropy).epsilon(1e-12));
        CHECK(run.max_weight[at] == Approx(row.max_weight).epsilon(1e-12));
        CHECK(run.gradient_scale[at] == Approx(row.gradient_scale).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("every instruction set gives the same means to six digits", "[analysis]") {
  for (const Design design : {Design::kShared, Design::kFresh}) {
    const ScoreSettings settings{.design = design};
    const TrialStatistics best = trials_of(settings, 1.0, 1.0, 20000);
    for (const Isa isa : simd_isas()) {
      CAPTURE(choice_name(design), isa_name(isa));
      const TrialStatistics other = trials_of(settings, 1.0, 1.0, 20000, 1, isa);
      for (const auto member : {&TrialStatistics::spread, &TrialStatistics::entropy,
                                &TrialStatistics::max_weight, &TrialStatistics::gradient_scale}) {
        CHECK(summarize(other.*member).mean == Approx(summarize(best.*member).mean).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("temperature 0 decides every row and has no spread", "[analysis]") {
  const TrialStatistics run = trials_of({}, 1.0, 0.0, 100);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(std::isnan(run.spread[i]));
    CHECK(run.entropy[i] == 0.0);
    CHECK(run.max_weight[i] == 1.0);
  }
  CHECK(std::isnan(summarize(run.spread).mean));
  CHECK(std::isnan(summarize(run.spread).percentiles[0]));
}

TEST_CASE("a summary interpolates between order statistics", "[analysis]") {
  const std::vector<double> values = {4.0, 1.0, 3.0, 2.0, 10.0};
  const Summary summary = summarize(values);
  CHECK(summary.mean == 4.0);
  CHECK(summary.standard_error == Approx(std::sqrt(50.0 / 4.0 / 5.0)));
  const double expected[] = {1.04, 1.2, 2.0, 3.0, 4.0, 8.8, 9.76};  // numpy.percentile
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    CHECK(summary.percentiles[i] == Approx(expected[i]).epsilon(1e-14));
  }
  const std::vector<double> one = {7.0};
  CHECK(std::isnan(summarize(one).standard_error));
  CHECK(summarize(one).percentiles[6] == 7.0);
}

TEST_CASE("a percentile rank counts ties half", "[analysis]") {
  const std::vector<double> values = {1.0, 2.0, 2.0, 3.0};
  CHECK(percentile_rank(values, 2.0) == 50.0);
  CHECK(percentile_rank(values, 0.0) == 0.0);
  CHECK(percentile_rank(values, 3.0) == 87.5);
  CHECK(percentile_rank(values, 9.0) == 100.0);
  CHECK(std::isnan(percentile_rank(values, std::nan(""))));
}

TEST_CASE("trials stop when the watch says so", "[analysis]") {
  class StopsEarly : public Watch {
   public:
    void progress(double share) override { last = share; }
    bool stopped() const override { return last > 0.2; }
    double last = 0.0;
  };
  StopsEarly watch;
  ThreadTeam team(2);
  run_trials({}, 1.0, 1.0, 500000, team, watch);
  CHECK(watch.last > 0.2);
  CHECK(watch.last < 0.6);
}

TEST_CASE("the memory of a run is known beforehand", "[analysis]") {
  const double small = trial_statistics_bytes({}, 1000, 1);
  CHECK(trial_statistics_bytes({}, 1001000, 1) - small == Approx(40e6).epsilon(1e-9));
  CHECK(trial_statistics_bytes({.keys = 1 << 20}, 1, 2) > 2 * 16.0 * 8.0 * (1 << 20));
}

}  // namespace attnlab
