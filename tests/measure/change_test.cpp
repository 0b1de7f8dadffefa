#include "measure/change.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

using Noise = std::function<double(std::mt19937_64&)>;

double normal(std::mt19937_64& bits) { return std::normal_distribution<double>()(bits); }
double student3(std::mt19937_64& bits) { return std::student_t_distribution<double>(3)(bits); }
// Times that only grow by interference: one call in ten takes up to half as long again.
double spikes(std::mt19937_64& bits) {
  std::uniform_real_distribution<double> unit;
  return normal(bits) + (unit(bits) < 0.1 ? 25 * unit(bits) : 0.0);
}
// A process is in one of two states, 10 % apart.
double bimodal(std::mt19937_64& bits) {
  return (bits() & 1) != 0 ? 5 + normal(bits) : normal(bits);
}

struct Design {
  std::size_t processes = 5, calls = 10;
  double between = 0.02, within = 0.02;
  Noise of_process = normal, of_call = normal;
  double ratio = 1;  // the true one
  double tick = 0;   // of the clock, relative to the time: ties
  double drift = 0;  // step of a random walk of the machine, which meets process i of both sides
};

TimedSide draw(const Design& design, double level, std::mt19937_64& bits,
               const std::vector<double>& machine = {}) {
  TimedSide out;
  for (std::size_t i = 0; i < design.processes; ++i) {
    const double state = machine.empty() ? 0 : machine[i];
    const double own = level * std::exp(state + design.between * design.of_process(bits));
    auto& calls = out.times.emplace_back();
    for (std::size_t k = 0; k < design.calls; ++k) {
      const double time = own * std::exp(design.within * design.of_call(bits));
      const double tick = design.tick * level;
      calls.push_back(tick == 0 ? time : std::max(tick, tick * std::round(time / tick)));
    }
  }
  return out;
}

// The share of data sets whose interval holds the true ratio.
double coverage(const Design& design, bool paired, int sets) {
  std::mt19937_64 bits(7);
  int held = 0;
  for (int i = 0; i < sets; ++i) {
    std::vector<double> machine;
    for (std::size_t k = 0; k < design.processes && design.drift != 0; ++k) {
      machine.push_back((k == 0 ? 0 : machine.back()) + design.drift * normal(bits));
    }
    const TimedSide base = draw(design, 1e-3, bits, machine);
    const TimedSide now = draw(design, 1e-3 * design.ratio, bits, machine);
    const Change change =
        paired ? paired_change(base, now, 0.05) : independent_change(base, now, 0.05, 1);
    held += change.interval->low <= design.ratio && design.ratio <= change.interval->high;
  }
  return static_cast<double>(held) / sets;
}

TimedSide constant(std::vector<double> times) {
  TimedSide out;
  for (const double time : times) out.times.push_back({time});
  return out;
}

}  // namespace

TEST_CASE("intervals of independent measurements hold the true ratio", "[measure]") {
  constexpr int kSets = 2000;
  SECTION("normal noise") { CHECK(coverage({}, false, kSets) >= 0.93); }
  SECTION("processes differ much more than calls") {
    CHECK(coverage({.between = 0.1, .within = 0.01}, false, kSets) >= 0.93);
  }
  SECTION("calls differ much more than processes") {
    CHECK(coverage({.between = 0, .within = 0.1}, false, kSets) >= 0.93);
  }
  SECTION("heavy tails") {
    CHECK(coverage({.of_process = student3, .of_call = student3}, false, kSets) >= 0.93);
  }
  SECTION("processes in one of two states") {
    CHECK(coverage({.of_process = bimodal}, false, kSets) >= 0.93);
  }
  SECTION("ties") { CHECK(coverage({.tick = 0.02}, false, kSets) >= 0.93); }
  SECTION("calls that interference makes longer") {
    CHECK(coverage({.of_call = spikes, .ratio = 1.1}, false, kSets) >= 0.93);
  }
}

TEST_CASE("intervals of pairs hold the true ratio", "[measure]") {
  constexpr int kSets = 2000;
  const std::size_t pairs = GENERATE(6, 10, 30);
  CAPTURE(pairs);
  CHECK(coverage({.processes = pairs}, true, kSets) >= 0.93);
  CHECK(coverage({.processes = pairs, .of_process = student3, .of_call = student3, .ratio = 1.1},
                 true, kSets) >= 0.93);
  CHECK(coverage({.processes = pairs, .of_process = bimodal}, true, kSets) >= 0.93);
  CHECK(coverage({.processes = pairs, .tick = 0.02}, true, kSets) >= 0.93);  // ties
  CHECK(coverage({.processes = pairs, .ratio = 1.1, .drift = 0.1}, true, kSets) >= 0.93);
}

TEST_CASE("changes of pairs are those of the signed-rank test", "[measure]") {
  // The depression scores of Hollander & Wolfe, example 3.1: V = 40, one-sided p 0.01953, estimate
  // 0.46.
  const std::vector<double> x{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> y{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> base, now;
  for (const double value : y) base.push_back(std::exp(value));
  for (const double value : x) now.push_back(std::exp(value));
  const Change change = paired_change(constant(base), constant(now), 0);
  CHECK(std::log(change.ratio) == Approx(0.46));
  CHECK(*change.p == Approx(20.0 / 512));
  REQUIRE(change.interval);
  CHECK(std::log(change.interval->low) == Approx(0.010));
  CHECK(std::log(change.interval->high) == Approx(0.786));
  // A threshold beyond every average leaves nothing to show.
  CHECK(*paired_change(constant(base), constant(now), 3).p == 1);
  const Change six =
      paired_change(constant({1, 1, 1, 1, 1, 1}), constant({1.1, 1.2, 1.3, 1.4, 1.5, 1.6}), 0);
  CHECK(six.interval->low == Approx(1.1));
  CHECK(six.interval->high == Approx(1.6));
  CHECK(*six.p == Approx(2.0 / 64));
  CHECK(!paired_change(constant({1, 1, 1, 1, 1}), constant({2, 2, 2, 2, 2}), 0).interval);
}

TEST_CASE("a reference takes away what both have in common", "[measure]") {
  std::mt19937_64 bits(3);
  TimedSide base = draw({}, 1e-3, bits), now = base;
  base.reference = base.times;
  for (auto& own : now.times) {  // a machine half as fast, and the kernel slower by a fifth
    for (double& time : own) time *= 2;
  }
  now.reference = now.times;
  for (auto& own : now.times) {
    for (double& time : own) time *= 1.2;
  }
  CHECK(independent_change(base, now, 0.05, 1).ratio == Approx(1.2));
  CHECK(paired_change(base, now, 0.05).ratio == Approx(1.2));
}

TEST_CASE("independent measurements need two processes, and equal samples have no interval",
          "[measure]") {
  CHECK(!independent_change({{{1, 2, 3, 4, 5, 6}}}, {{{2, 3, 4, 5, 6, 7}}}, 0.05, 1).interval);
  const Change change = independent_change(constant({1, 1, 1}), constant({1.5, 1.5, 1.5}), 0.05, 1);
  CHECK(change.ratio == 1.5);
  CHECK(change.interval->low == 1.5);
  CHECK(change.interval->high == 1.5);
  CHECK(*change.p == 0);
  CHECK(*independent_change(constant({1, 1}), constant({1, 1}), 0.05, 1).p == 1);
}

TEST_CASE("nothing that did not change is called a change more often than in one of twenty",
          "[measure]") {
  std::mt19937_64 bits(11);
  int of_independent = 0, of_pairs = 0;
  constexpr int kSets = 1000;
  const Design five{.of_process = student3}, ten{.processes = 10, .of_process = bimodal};
  for (int i = 0; i < kSets; ++i) {
    of_independent += *independent_change(draw(five, 1, bits), draw(five, 1, bits), 0, 1).p < 0.05;
    of_pairs += *paired_change(draw(ten, 1, bits), draw(ten, 1, bits), 0).p < 0.05;
  }
  CHECK(of_independent <= 70);  // 50 expected at most, give or take 7
  CHECK(of_pairs <= 70);
  CHECK(of_pairs >= 10);  // and it is no test that never fires
}

TEST_CASE("p-values of many rows are adjusted by Holm", "[measure]") {
  const std::vector<double> adjusted = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  CHECK(adjusted[0] == Approx(0.03));
  CHECK(adjusted[1] == Approx(0.06));
  CHECK(adjusted[2] == Approx(0.06));  // no smaller than the one before it
  CHECK(adjusted[3] == Approx(0.02));
  CHECK(holm_adjusted(std::vector<double>{0.9, 0.8})[0] == 1);
  CHECK(holm_adjusted({}).empty());
}

TEST_CASE("the number of processes that would decide grows with the square of the interval",
          "[measure]") {
  Change change{1.0, Interval{1 / 1.10, 1.10}};
  const auto wide = processes_to_decide(change, 0.05, 10);
  change.interval = Interval{1 / 1.21, 1.21};
  const auto twice_as_wide = processes_to_decide(change, 0.05, 10);
  REQUIRE(wide);
  REQUIRE(twice_as_wide);
  CHECK(*wide == 86);  // 10 (1.5 ln 1.10 / ln 1.05)^2
  CHECK(*twice_as_wide == 344);
  change.ratio = 1.05;
  CHECK(!processes_to_decide(change, 0.05, 10));
  CHECK(!processes_to_decide(Change{1.0}, 0.05, 10));
}

}  // namespace attnlab
