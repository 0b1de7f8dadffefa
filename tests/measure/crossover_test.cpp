#include "measure/crossover.h"

#include <cmath>
#include <string>

#include "support/catch.h"
#include "synthetic.h"

using namespace attnlab;

namespace {

const Law kSteep = [](double n) { return 1e-9 * n * n; };
const Law kFlat = [](double n) { return 3e-7 * n; };  // meets kSteep at n = 300

TimedCrossover crossover(std::vector<SizedSamples> first, std::vector<SizedSamples> second) {
  const std::vector<TimedCurve> curves{{"naive", std::move(first)}, {"flash", std::move(second)}};
  return find_crossovers(curves, 1).at(0);
}

bool says(const TimedCrossover& one, const std::string& words) {
  return one.reason.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("power laws cross where they do, whichever stands first", "[measure]") {
  const TimedCrossover one = crossover(exact(kFiveSizes, kSteep), exact(kFiveSizes, kFlat));
  REQUIRE(one.n);
  CHECK(*one.n == Approx(300));
  CHECK(*one.n_low == Approx(300));
  CHECK(*one.n_high == Approx(300));
  CHECK((one.slower == "naive" && one.faster == "flash" && !one.is_extrapolated));
  CHECK(says(one, "between n = 256 and 512"));
  const TimedCrossover turned = crossover(exact(kFiveSizes, kFlat), exact(kFiveSizes, kSteep));
  CHECK(*turned.n == Approx(300));
  CHECK((turned.slower == "flash" && turned.faster == "naive"));
}

TEST_CASE("a crossover that falls on a size is found once", "[measure]") {
  const Law flat = [](double n) { return 256e-9 * n; };
  const TimedCrossover one = crossover(exact(kFiveSizes, kSteep), exact(kFiveSizes, flat));
  CHECK(*one.n == Approx(256));
  CHECK(one.slower == "naive");
}

TEST_CASE("the interval of a crossover holds the truth about as often as it says", "[measure]") {
  std::mt19937_64 bits(17);
  int held = 0, found = 0;
  constexpr int kSets = 120;
  for (int i = 0; i < kSets; ++i) {
    const TimedCrossover one =
        crossover(noisy(kFiveSizes, kSteep, 0.05, bits), noisy(kFiveSizes, kFlat, 0.05, bits));
    if (!one.n) continue;
    ++found;
    held += one.n_low.value_or(0) <= 300 && 300 <= one.n_high.value_or(INFINITY);
  }
  CHECK(found == kSets);
  CHECK(held >= 0.89 * kSets);
}

TEST_CASE("no crossover: who is faster everywhere is said", "[measure]") {
  const Law twice = [](double n) { return 2 * kSteep(n); };
  const TimedCrossover one = crossover(exact(kFiveSizes, twice), exact(kFiveSizes, kSteep));
  CHECK(!one.n);
  CHECK((one.slower == "naive" && one.faster == "flash"));
  CHECK(one.reason == "none in the range: flash is faster at every n from 64 to 1024");
}

TEST_CASE("beyond the data a crossover comes from the fits, and says so", "[measure]") {
  const Law flat = [](double n) { return 3e-6 * n; };  // meets kSteep at n = 3000
  const TimedCrossover one = crossover(exact(kFiveSizes, kSteep), exact(kFiveSizes, flat));
  REQUIRE(one.n);
  CHECK(*one.n == Approx(3000));
  CHECK(one.is_extrapolated);
  CHECK((one.slower == "naive" && one.faster == "flash"));
  CHECK(says(one, "beyond the data, from the fits only"));
  CHECK(says(one, "to n = 1024 naive is faster"));
  CHECK(*one.n_low == Approx(3000));
  // Farther than the fits may be followed.
  const Law flatter = [](double n) { return 3e-5 * n; };
  const TimedCrossover far = crossover(exact(kFiveSizes, kSteep), exact(kFiveSizes, flatter));
  CHECK(!far.n);
  CHECK(says(far, "none in the range: naive is faster at every n"));
}

TEST_CASE("a crossover just beyond the data has an interval that begins with the data's end",
          "[measure]") {
  const Law flat = [](double n) { return 1.04e-6 * n; };  // meets kSteep at n = 1040
  int extrapolated = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 bits(seed);
    const TimedCrossover one =
        crossover(noisy(kFiveSizes, kSteep, 0.03, bits), noisy(kFiveSizes, flat, 0.03, bits));
    if (!one.is_extrapolated) continue;
    ++extrapolated;
    CAPTURE(seed);
    REQUIRE((one.n_low && one.n_high));  // fits that meet earlier are no fits that never meet
    CHECK(*one.n_low >= 1024);
    CHECK(*one.n_high < 2000);
  }
  CHECK(extrapolated > 5);
}

TEST_CASE("an order that noise hides is not told", "[measure]") {
  std::mt19937_64 bits(19);
  const TimedCrossover same =
      crossover(noisy(kFiveSizes, kSteep, 0.3, bits), noisy(kFiveSizes, kSteep, 0.3, bits));
  CHECK(!same.n);
  CHECK(says(same, "no order can be told"));
  // Equal at both ends but for noise, apart in the middle.
  const Law bulge = [](double n) { return kSteep(n) * (n == 256 ? 3 : 1); };
  const TimedCrossover ends =
      crossover(noisy(kFiveSizes, bulge, 0.05, bits), noisy(kFiveSizes, kSteep, 0.05, bits));
  CHECK(!ends.n);
  CHECK(says(ends, "flash is faster at n = 256;"));
  CHECK(says(ends, "at n = 64, 128, 512, 1024 no order can be told"));
}

TEST_CASE("of several crossovers the last that is decided is given, the others named",
          "[measure]") {
  // naive is slower, faster, slower: at 64, from 128 to 512, at 1024.
  const Law waves = [](double n) { return kSteep(n) * (n == 64 || n == 1024 ? 2 : 0.5); };
  const TimedCrossover one = crossover(exact(kFiveSizes, waves), exact(kFiveSizes, kSteep));
  CHECK(*one.n == Approx(512 * std::sqrt(2)));
  CHECK(one.slower == "naive");
  CHECK(says(one, "the last of several: the order also changes at n = 91"));
  // The last change is within noise: the one before is the last that is decided.
  std::mt19937_64 bits(23);
  const Law tail = [](double n) { return kFlat(n) * (n == 1024 ? 1024.0 / 300 : 1); };
  const TimedCrossover decided =
      crossover(noisy(kFiveSizes, kSteep, 0.02, bits), noisy(kFiveSizes, tail, 0.02, bits));
  CHECK(*decided.n == Approx(300).epsilon(0.05));
  CHECK(says(decided, "no order can be told at n = 1024"));
}

TEST_CASE("without enough samples medians alone decide, and that is said", "[measure]") {
  std::vector<SizedSamples> first = exact(kFiveSizes, kSteep), second = exact(kFiveSizes, kFlat);
  for (auto& one : first) one.samples[0].resize(2);
  const TimedCrossover one = crossover(first, second);
  CHECK(*one.n == Approx(300));
  CHECK((!one.n_low && !one.n_high));
  CHECK(says(one, "from medians alone"));
}

TEST_CASE("curves are compared at the sizes that both have", "[measure]") {
  const TimedCrossover some =
      crossover(exact({64, 256, 1024}, kSteep), exact({64, 128, 256, 512, 1024}, kFlat));
  CHECK(*some.n == Approx(300));
  CHECK(says(some, "between n = 256 and 1024"));
  const TimedCrossover none = crossover(exact({64}, kSteep), exact({128}, kFlat));
  CHECK(!none.n);
  CHECK(says(none, "no n at which both were timed"));
  CHECK(find_crossovers({}, 1).empty());
}

TEST_CASE("every pair of curves is compared, in order", "[measure]") {
  const std::vector<TimedCurve> curves{{"a", exact(kFiveSizes, kSteep)},
                                       {"b", exact(kFiveSizes, kFlat)},
                                       {"c", exact(kFiveSizes, kFlat)}};
  const auto all = find_crossovers(curves, 1);
  REQUIRE(all.size() == 3);
  CHECK((all[0].slower == "a" && all[0].faster == "b"));
  CHECK((all[1].slower == "a" && all[1].faster == "c"));
  CHECK((!all[2].n && says(all[2], "no order can be told")));
}
