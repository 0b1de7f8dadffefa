// What is measured of q.k against theory, and the ways of measuring against one another.
#include "random/dot_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/choice.h"
#include "random/dot_product_theory.h"
#include "support/catch.h"

namespace attnlab {
namespace {

bool same_bits(const CentralMoments& a, const CentralMoments& b) {
  return a.count == b.count && std::memcmp(&a.mean, &b.mean, 4 * sizeof(double)) == 0;
}

CentralMoments sampled(const DotProductSettings& settings, std::int64_t samples, int threads = 1,
                       Isa isa = simd_isas().back()) {
  ThreadTeam team(threads);
  Watch watch;
  return sample_dot_products(settings, samples, team, watch, isa);
}

}  // namespace

TEST_CASE("q.k has the mean, variance and kurtosis of theory", "[random]") {
  constexpr std::int64_t kSamples = 1 << 20;
  const double n = kSamples;
  const double means[][2] = {{0.0, 0.0}, {1.0, 1.0}, {0.5, -2.0}};
  for (const Law law : kLaws) {
    for (const auto& mean : means) {
      for (const bool tied : {false, true}) {
        for (const std::int64_t d : {4, 33}) {
          CAPTURE(choice_name(law), mean[0], mean[1], tied, d);
          const DotProductSettings settings{.law = law,
                                            .df = 20.0,
                                            .mean_q = mean[0],
                                            .mean_k = mean[1],
                                            .tied = tied,
                                            .d = d,
                                            .seed = 31};
          const CentralMoments moments = sampled(settings, kSamples);
          const DotProductTheory theory = dot_product_theory(settings);
          const double error =
              *variance_standard_error(theory, kSamples, moments.excess_kurtosis());
          CHECK(std::abs(moments.mean - theory.mean) <=
                4.5 * std::sqrt(*theory.variance / n) + 1e-9);
          CHECK(std::abs(moments.variance(1) - *theory.variance) <= 4.5 * error + 1e-9);
        }
      }
    }
  }
}

// The mean fourth power of the distance to the true mean has no bias, and the sample tells its
// standard error.
TEST_CASE("q.k has the fourth central moment that the kurtosis formula says", "[random]") {
  constexpr std::size_t kSamples = 1 << 20;
  const double n = kSamples;
  std::vector<double> values(kSamples);
  const double means[][2] = {{0.0, 0.0}, {1.0, 1.0}, {0.5, -2.0}};
  for (const Law law : kLaws) {
    for (const auto& mean : means) {
      for (const std::int64_t d : {1, 4, 33}) {
        CAPTURE(choice_name(law), mean[0], mean[1], d);
        const DotProductSettings settings{
            .law = law, .df = 20.0, .mean_q = mean[0], .mean_k = mean[1], .d = d, .seed = 32};
        draw_dot_products(settings, 0, values);
        const DotProductTheory theory = dot_product_theory(settings);
        double sum = 0.0, squares = 0.0;
        for (const double value : values) {
          const double power = std::pow(value - theory.mean, 4);
          sum += power;
          squares += power * power;
        }
        const double measured = sum / n;
        const double error = std::sqrt((squares / n - measured * measured) / n);
        const double expected = (3.0 + *theory.kurtosis) * *theory.variance * *theory.variance;
        CHECK(std::abs(measured - expected) <= 4.5 * error + 1e-9);
      }
    }
  }
}

TEST_CASE("any number of threads and samples gives the same bits", "[random]") {
  for (const Rng rng : {Rng::kPhilox, Rng::kMulberry32}) {
    for (const std::int64_t d : {1, 64, 1000}) {
      for (const std::int64_t samples : {1, 2, 17, 1001, 70001}) {
        if (rng == Rng::kMulberry32 && d * samples > 1000000) continue;
        CAPTURE(choice_name(rng), d, samples);
        const DotProductSettings settings{.d = d, .rng = rng, .seed = 7};
        const CentralMoments one = sampled(settings, samples);
        CHECK(one.count == samples);
        for (const int threads : {2, 3, 7})
          CHECK(same_bits(sampled(settings, samples, threads), one));
      }
    }
  }
}

TEST_CASE("moments are those of the samples drawn one by one", "[random]") {
  for (const Rng rng : {Rng::kPhilox, Rng::kMulberry32}) {
    const DotProductSettings settings{.law = Law::kLaplace, .d = 10, .rng = rng, .seed = 12};
    std::vector<double> values(40001);
    draw_dot_products(settings, 0, {values.data(), 5});
    draw_dot_products(settings, 5, {values.data() + 5, values.size() - 5});
    const CentralMoments exact = CentralMoments::of(values), moments = sampled(settings, 40001, 2);
    CHECK(moments.mean == Approx(exact.mean).margin(1e-12));
    CHECK(moments.m2 == Approx(exact.m2).epsilon(1e-12));
    CHECK(moments.m4 == Approx(exact.m4).epsilon(1e-12));
  }
}

TEST_CASE("every instruction set gives the same six digits", "[random]") {
  constexpr std::int64_t kSamples = 200000;
  for (const Law law : kLaws) {
    for (const bool tied : {false, true}) {
      const DotProductSettings settings{
          .law = law, .mean_q = tied ? 0.5 : 0.0, .tied = tied, .d = 64, .seed = 4};
      const CentralMoments best = sampled(settings, kSamples);
      for (const Isa isa : simd_isas()) {
        CAPTURE(choice_name(law), tied, isa_name(isa));
        const CentralMoments other = sampled(settings, kSamples, 1, isa);
        CHECK(other.variance(0) == Approx(best.variance(0)).epsilon(1e-6));
        // mean, z and kurtosis to 1e-3 of their standard errors
        const double root = std::sqrt(static_cast<double>(kSamples));
        CHECK(std::abs(other.mean - best.mean) < 1e-3 * std::sqrt(best.variance(0)) / root);
        CHECK(std::abs(other.variance(0) / best.variance(0) - 1.0) < 1e-3 * std::sqrt(2.0) / root);
        CHECK(std::abs(other.excess_kurtosis() - best.excess_kurtosis()) <
              1e-3 * std::sqrt(24.0) / root);
      }
    }
  }
}

// Over seeds, z = (s^2 - predicted) / standard error has mean 0 and variance 1 by construction, and
// the 95 % interval holds the prediction in 95 % of cases: 0.93 and 0.97 lie 4 standard errors off.
TEST_CASE("95 % intervals hold the truth in 93 to 97 % of 2,000 seeds", "[random]") {
  constexpr int kSeeds = 2000;
  constexpr std::int64_t kSamples = 4000;
  ThreadTeam team(1);
  Watch watch;
  for (const Law law : kLaws) {
    DotProductSettings settings{.law = law, .df = 10.0, .d = 8};
    const DotProductTheory theory = dot_product_theory(settings);
    const double error = *variance_standard_error(theory, kSamples, 0.0);
    int inside = 0;
    double sum = 0.0, squares = 0.0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      settings.seed = static_cast<std::uint64_t>(seed);
      const double s2 = sample_dot_products(settings, kSamples, team, watch).variance(1);
      const double z = (s2 - *theory.variance) / error;
      inside += std::abs(z) < 1.959963984540054;
      sum += z;
      squares += z * z;
    }
    const double share = static_cast<double>(inside) / kSeeds;
    CAPTURE(choice_name(law), share, sum / kSeeds, squares / kSeeds);
    CHECK(share >= 0.93);
    CHECK(share <= 0.97);
    CHECK(std::abs(sum / kSeeds) < 4.5 / std::sqrt(kSeeds));
    CHECK(std::abs(squares / kSeeds - 1.0) < 4.5 * std::sqrt(2.5 / kSeeds));
  }
}

TEST_CASE("samples of neighbouring counters, sizes and seeds are uncorrelated", "[random]") {
  constexpr std::size_t kCount = 1 << 18;
  const auto drawn = [](std::int64_t d, std::uint64_t seed, Law law) {
    std::vector<double> out(kCount);
    draw_dot_products({.law = law, .d = d, .seed = seed}, 0, out);
    for (double& x : out) x /= std::sqrt(static_cast<double>(d));
    return out;
  };
  const auto z = [](const std::vector<double>& a, const std::vector<double>& b, std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = 0; i + lag < kCount; ++i) sum += a[i] * b[i + lag];
    return sum / std::sqrt(static_cast<double>(kCount - lag));
  };
  const std::vector<double> base = drawn(4, 1, Law::kNormal);
  for (const std::size_t lag : {1, 2, 4, 8, 16, 64}) CHECK(std::abs(z(base, base, lag)) < 4.5);
  CHECK(std::abs(z(base, drawn(5, 1, Law::kNormal), 0)) < 4.5);
  CHECK(std::abs(z(base, drawn(4, 2, Law::kNormal), 0)) < 4.5);
  CHECK(std::abs(z(base, drawn(4, 1, Law::kUniform), 0)) < 4.5);
}

TEST_CASE("long work tells its progress and stops when asked", "[random]") {
  class StopsHalfway : public Watch {
   public:
    void progress(double share) override {
      CHECK(share > last);
      CHECK(share <= 1.0);
      last = share;
    }
    bool stopped() const override { return last >= 0.5; }
    double last = 0.0;
  };
  StopsHalfway watch;
  ThreadTeam team(2);
  const DotProductSettings settings{.d = 64};
  const CentralMoments moments = sample_dot_products(settings, 2000000, team, watch);
  CHECK(watch.last >= 0.5);
  CHECK(watch.last < 0.9);
  CHECK(moments.count < 2000000);
}

}  // namespace attnlab
