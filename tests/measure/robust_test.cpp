#include "measure/robust.h"

#include <cmath>
#include <random>

#include "support/catch.h"

using namespace attnlab;

namespace {

// Samples of `processes` processes: a centre of 1, each process off by `between`, each sample by
// `within` (standard deviations of normal laws).
ProcessSamples draw(std::mt19937_64& bits, std::size_t processes, std::size_t each, double between,
                    double within) {
  std::normal_distribution<double> normal;
  ProcessSamples out(processes);
  for (auto& own : out) {
    const double centre = 1 + between * normal(bits);
    for (std::size_t i = 0; i < each; ++i) own.push_back(centre + within * normal(bits));
  }
  return out;
}

// The share of 300 data sets whose interval holds the true median.
double coverage(std::size_t processes, std::size_t each, double between, double within) {
  std::mt19937_64 bits(7);
  int held = 0;
  for (int i = 0; i < 300; ++i) {
    const auto interval = median_interval(draw(bits, processes, each, between, within), 1);
    held += interval->low <= 1 && 1 <= interval->high;
  }
  return held / 300.0;
}

// The share of 300 pairs of data sets in which the interval of one holds the median of the other.
double repetitions(std::size_t processes, std::size_t each, double between, double within) {
  std::mt19937_64 bits(11);
  int held = 0;
  for (int i = 0; i < 300; ++i) {
    const auto interval = repetition_interval(draw(bits, processes, each, between, within), 1);
    const double other = median(pooled(draw(bits, processes, each, between, within)));
    held += interval->low <= other && other <= interval->high;
  }
  return held / 300.0;
}

}  // namespace

TEST_CASE("medians and quantiles interpolate linearly", "[measure]") {
  const std::vector<double> values{4, 1, 3, 2};
  CHECK(median(values) == 2.5);
  CHECK(median(std::vector<double>{5}) == 5);
  CHECK(median(std::vector<double>{9, 1, 2}) == 2);
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 1) == 4);
  CHECK(quantile(values, 0.25) == 1.75);
  CHECK(quantile(values, 1.0 / 3) == Approx(2));
}

TEST_CASE("a summary tells centre, spread and noise", "[measure]") {
  const SampleSummary summary = summarize({{1, 2, 3}, {4, 5, 6, 7}}, 1);
  CHECK(summary.median == 4);
  CHECK(summary.mean == 4);
  CHECK(summary.std == Approx(std::sqrt(28.0 / 6)));
  CHECK(summary.noise == 0.75);
  REQUIRE(summary.interval);
  CHECK(summary.interval->low < 4);
  CHECK(summary.interval->high > 4);
  const SampleSummary one = summarize({{0.5}}, 1);
  CHECK((one.median == 0.5 && one.mean == 0.5 && one.std == 0 && one.noise == 0));
}

TEST_CASE("there is no interval below six samples", "[measure]") {
  CHECK(!median_interval({{1, 2, 3, 4, 5}}, 1));
  CHECK(!median_interval({{1, 2}, {}, {3, 4, 5}}, 1));
  CHECK(median_interval({{1, 2, 3}, {4, 5, 6}}, 1));
}

TEST_CASE("an interval is that of its seed, and a point where all samples are equal", "[measure]") {
  const ProcessSamples samples{{1, 4, 2, 8, 5, 7}, {3, 6, 9}};
  const auto first = median_interval(samples, 3), again = median_interval(samples, 3);
  CHECK((first->low == again->low && first->high == again->high));
  const auto same = median_interval({{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}, 1);
  CHECK((same->low == 0.1 && same->high == 0.1));
}

TEST_CASE("a process without samples changes nothing", "[measure]") {
  const auto with = median_interval({{1, 2, 3}, {}, {4, 5, 6}}, 3);
  const auto without = median_interval({{1, 2, 3}, {4, 5, 6}}, 3);
  CHECK((with->low == without->low && with->high == without->high));
}

TEST_CASE("intervals hold the true median about as often as they say", "[measure]") {
  CHECK(coverage(1, 10, 0, 0.1) > 0.91);
  CHECK(coverage(1, 30, 0, 0.1) > 0.91);
  CHECK(coverage(5, 10, 0.1, 0.02) > 0.91);  // processes differ: samples alone would hold it rarely
  CHECK(coverage(10, 10, 0.1, 0.1) > 0.91);
  CHECK(coverage(1, 30, 0, 0.1) < 0.99);  // and they are not merely wide
  CHECK(coverage(10, 10, 0.1, 0.1) < 0.999);
}

TEST_CASE("intervals of several processes hold the median of a repetition", "[measure]") {
  CHECK(repetitions(5, 10, 0.1, 0.02) > 0.91);
  CHECK(repetitions(5, 10, 0.02, 0.1) > 0.91);
  CHECK(repetitions(10, 10, 0.1, 0.1) > 0.91);
  CHECK(repetitions(10, 10, 0.1, 0.1) < 0.999);
  const ProcessSamples two{{1, 2, 3}, {2, 3, 4}};
  CHECK(summarize(two, 1).interval->high == repetition_interval(two, 1)->high);
  CHECK(summarize({{1, 2, 3, 4, 5, 6}}, 1).interval->high ==
        median_interval({{1, 2, 3, 4, 5, 6}}, 1)->high);
  CHECK(!repetition_interval({{1, 2}, {3, 4, 5}}, 1));
  CHECK(repetition_interval({{0, 0, 0}, {0, 0, 0}}, 1)->high == 0);  // below what a clock resolves
}
