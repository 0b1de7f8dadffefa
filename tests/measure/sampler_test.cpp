// The sampler with a clock of its own: every call takes as long as the test says.
#include "measure/sampler.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

class FakeClock : public Clock {
 public:
  double now() override { return now_; }
  void pass(double seconds) { now_ += seconds; }

 private:
  double now_ = 100;
};

// Stops the sampler after so many progress reports.
class StoppingWatch : public Watch {
 public:
  explicit StoppingWatch(int reports) : left_(reports) {}
  void progress(double) override { --left_; }
  bool stopped() const override { return left_ <= 0; }

 private:
  int left_;
};

TEST_CASE("samples are seconds a call, batched until they last min_time", "[measure]") {
  FakeClock clock;
  Watch watch;
  std::map<char, int> calls;
  const std::vector<Subject> subjects{{[&] {
                                        clock.pass(0.001);
                                        ++calls['a'];
                                      }},
                                      {[&] {
                                        clock.pass(0.5);
                                        ++calls['b'];
                                      }}};
  const auto series = take_samples(
      subjects, {.repeats = 4, .warmup = 2, .min_time = 0.01, .seed = 3}, clock, watch);
  REQUIRE(series.size() == 2);
  for (std::size_t s = 0; s < 2; ++s) {
    REQUIRE(series[s].samples.size() == 4);
    for (const double seconds : series[s].samples) {
      CHECK(seconds == Approx(s == 0 ? 0.001 : 0.5).epsilon(1e-9));
    }
  }
  CHECK(series[0].batch * 0.001 >= 0.01);
  CHECK(series[0].batch <= 12);
  CHECK(series[1].batch == 1);
  CHECK(calls['b'] == 2 + 1 + 4);  // warm-up, one trial, samples
}

TEST_CASE("a clock that does not move does not hold the sampler for ever", "[measure]") {
  FakeClock clock;
  StoppingWatch watch(1);
  int calls = 0;
  const std::vector<Subject> counted{{[&] {
    if (++calls > 1'000'000) watch.progress(0);
  }}};
  CHECK(take_samples(counted, {.repeats = 1, .min_time = 1}, clock, watch)[0].samples.empty());
}

TEST_CASE("every round times every subject once, in an order of its own", "[measure]") {
  FakeClock clock;
  Watch watch;
  std::string heard;
  std::vector<Subject> subjects;
  for (const char name : {'a', 'b', 'c'}) {
    subjects.push_back({[&heard, &clock, name] {
      heard += name;
      clock.pass(1);
    }});
  }
  const SamplerSettings settings{.repeats = 50, .warmup = 0, .min_time = 0, .seed = 7};
  const auto series = take_samples(subjects, settings, clock, watch);
  REQUIRE(heard.size() == 150);
  std::map<std::string, int> rounds;
  for (std::size_t round = 0; round < 50; ++round) {
    std::string order = heard.substr(3 * round, 3);
    ++rounds[order];
    std::sort(order.begin(), order.end());
    REQUIRE(order == "abc");
  }
  CHECK(rounds.size() == 6);  // all orders occur
  // What is recorded is the order in which they ran.
  for (std::size_t s = 0; s < 3; ++s) {
    for (const std::int64_t place : series[s].order) {
      CHECK(heard[static_cast<std::size_t>(place)] == "abc"[s]);
    }
  }
  const std::string first = heard;
  heard.clear();
  take_samples(subjects, settings, clock, watch);
  CHECK(heard == first);  // the same seed
  heard.clear();
  take_samples(subjects, {.repeats = 50, .warmup = 0, .min_time = 0, .seed = 8}, clock, watch);
  CHECK(heard != first);
}

TEST_CASE("the probe runs before each sample of its subject, and its best rate counts",
          "[measure]") {
  FakeClock clock;
  Watch watch;
  std::string heard;
  double probe_seconds = 4;
  const std::vector<Subject> subjects{{[&] {
                                         heard += 's';
                                         clock.pass(1);
                                       },
                                       [&] {
                                         heard += 'p';
                                         clock.pass(probe_seconds);
                                         probe_seconds = probe_seconds == 4 ? 2 : 8;
                                         return 100.0;
                                       }},
                                      {[&] { clock.pass(1); }}};
  const auto series =
      take_samples(subjects, {.repeats = 3, .warmup = 0, .min_time = 0}, clock, watch);
  CHECK(heard == "pspsps");
  CHECK(series[0].peak == Approx(50));
  CHECK(series[0].samples == std::vector<double>(3, 1.0));  // without the probe's time
  CHECK(series[1].peak == 0);
}

TEST_CASE("a watch that says stop ends the sampling", "[measure]") {
  FakeClock clock;
  StoppingWatch watch(5);
  const std::vector<Subject> subjects{{[&] { clock.pass(1); }}, {[&] { clock.pass(1); }}};
  const auto series =
      take_samples(subjects, {.repeats = 100, .warmup = 0, .min_time = 0}, clock, watch);
  CHECK(series[0].samples.size() + series[1].samples.size() == 5);
}

}  // namespace
}  // namespace attnlab
