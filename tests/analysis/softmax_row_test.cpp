#include "analysis/softmax_row.h"

#include <cmath>
#include <vector>

#include "analysis/softmax_rows.h"
#include "random/dot_product.h"
#include "support/catch.h"

namespace attnlab {
namespace {

constexpr double kLessonScores[] = {3.266585522881,  18.248910737805, -6.835133543089,
                                    5.554398453897,  6.203786866773,  3.241432040641,
                                    18.060371039308, -4.029121158552};

std::vector<double> random_scores(std::size_t count, double size, std::uint64_t seed) {
  std::vector<double> out(count);
  draw_dot_products({.d = 4, .seed = seed}, 0, out);
  for (double& score : out) score *= size;
  return out;
}

}  // namespace

TEST_CASE("the lesson's eight scores give its table of entropy and maximum weight", "[analysis]") {
  const RowStatistics plain = softmax_row(kLessonScores, 1.0, 1.0);
  CHECK(plain.spread == Approx(25.08404428089367).epsilon(1e-12));
  CHECK(plain.entropy == Approx(0.9937186358545341).epsilon(1e-12));
  CHECK(plain.max_weight == Approx(0.5469929336364393).epsilon(1e-12));
  CHECK(plain.gradient_scale == Approx(0.24779166418824122).epsilon(1e-12));
  const RowStatistics scaled = softmax_row(kLessonScores, 0.125, 1.0);
  CHECK(scaled.spread == Approx(3.135505535111709).epsilon(1e-12));
  CHECK(scaled.entropy == Approx(2.2953832764307207).epsilon(1e-12));
  CHECK(scaled.max_weight == Approx(0.3552035165400994).epsilon(1e-12));
  CHECK(scaled.gradient_scale == Approx(0.22903397837764675).epsilon(1e-12));
}

TEST_CASE("row statistics are those of the definition", "[analysis]") {
  const std::vector<double> scores = random_scores(37, 1.0, 2);
  for (const double factor : {1.0, 0.3, -0.7, 0.0}) {
    std::vector<double> p;
    double sum = 0.0, entropy = 0.0, best = 0.0, gradient = 0.0;
    for (const double score : scores) p.push_back(std::exp(factor * score));
    for (const double value : p) sum += value;
    for (double& value : p) {
      value /= sum;
      entropy -= value * std::log2(value);
      best = std::max(best, value);
      gradient = std::max(gradient, value * (1.0 - value));
    }
    const RowStatistics row = softmax_row(scores, factor, 1.0);
    CHECK(row.entropy == Approx(entropy).epsilon(1e-13));
    CHECK(row.max_weight == Approx(best).epsilon(1e-13));
    CHECK(row.gradient_scale == Approx(gradient).epsilon(1e-13));
  }
}

TEST_CASE("equal scores have the entropy of their number", "[analysis]") {
  for (const double temperature : {0.0, 1.0}) {
    const std::vector<double> eight(8, -1e4);
    const RowStatistics row = softmax_row(eight, 1.0, temperature);
    CHECK(row.entropy == Approx(3.0).epsilon(1e-15));
    CHECK(row.max_weight == 0.125);
    CHECK(row.gradient_scale == 0.125 * 0.875);
  }
  const double one[] = {42.0};
  const RowStatistics row = softmax_row(one, 1.0, 1.0);
  CHECK(row.spread == 0.0);
  CHECK(row.entropy == 0.0);
  CHECK(row.max_weight == 1.0);
  CHECK(row.gradient_scale == 0.0);
}

TEST_CASE("temperature 0 shares the weight among the largest logits", "[analysis]") {
  const double scores[] = {1.0, 5.0, 5.0, -2.0};
  const RowStatistics row = softmax_row(scores, 0.5, 0.0);
  CHECK(std::isnan(row.spread));
  CHECK(row.entropy == 1.0);
  CHECK(row.max_weight == 0.5);
  CHECK(row.gradient_scale == 0.25);
  const RowStatistics turned = softmax_row(scores, -0.5, 0.0);
  CHECK(turned.entropy == 0.0);
  CHECK(turned.max_weight == 1.0);
  CHECK(softmax_row(scores, 0.0, 0.0).entropy == 2.0);
  CHECK(softmax_row(scores, 1.0, 1e-310).entropy == 1.0);
}

TEST_CASE("scores of any size neither overflow nor lose what is left of the weight", "[analysis]") {
  const double huge[] = {1e300, -1e300, 0.0};
  const RowStatistics row = softmax_row(huge, 1.0, 1.0);
  CHECK(row.entropy == 0.0);
  CHECK(row.max_weight == 1.0);
  const double apart[] = {0.0, -60.0};
  const double rest = std::exp(-60.0);
  CHECK(softmax_row(apart, 1.0, 1.0).gradient_scale == Approx(rest).epsilon(1e-12));
  CHECK(softmax_row(apart, 1.0, 1.0).entropy == Approx(rest * 61.0 / std::log(2.0)).epsilon(1e-12));
}

TEST_CASE("a lower temperature lowers the entropy and raises the maximum weight", "[analysis]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<double> scores = random_scores(8, 0.5, seed);
    RowStatistics last = softmax_row(scores, 1.0, 1e6);
    for (double temperature = 100.0; temperature > 0.2; temperature *= 0.7) {
      const RowStatistics row = softmax_row(scores, 1.0, temperature);
      CHECK(row.entropy < last.entropy);
      CHECK(row.max_weight > last.max_weight);
      last = row;
    }
  }
}

TEST_CASE("many rows at once have the statistics of each", "[analysis]") {
  constexpr std::int64_t kStride = 32, kRows = 21;
  for (const Isa isa : simd_isas()) {
    for (const std::int64_t keys : {1, 2, 8, 65}) {
      for (const double scale : {1.0, 0.125, -2.0, 0.0, 40.0}) {
        for (const double temperature : {1.0, 0.0}) {
          DYNAMIC_SECTION(keys << " keys, scale " << scale << ", T=" << temperature << "/"
                               << isa_name(isa)) {
            std::vector<double> scores =
                random_scores(static_cast<std::size_t>(keys * kStride), 5.0, 9);
            scores[3] = scores[static_cast<std::size_t>((keys - 1) * kStride + 3)];  // a tie
            std::vector<double> out(4 * kStride, std::nan(""));
            const RowStatisticsColumns columns{out.data(), out.data() + kStride,
                                               out.data() + 2 * kStride, out.data() + 3 * kStride};
            softmax_rows(scores.data(), keys, kStride, kRows, scale, temperature, columns, isa);
            for (std::int64_t r = 0; r < kRows; ++r) {
              std::vector<double> row;
              for (std::int64_t key = 0; key < keys; ++key) {
                row.push_back(scores[static_cast<std::size_t>(key * kStride + r)]);
              }
              const RowStatistics one = softmax_row(row, scale, temperature);
              CAPTURE(r);
              if (temperature == 0.0) {
                CHECK(std::isnan(columns.spread[r]));
              } else {
                CHECK(columns.spread[r] == one.spread);
              }
              CHECK(columns.entropy[r] == Approx(one.entropy).epsilon(1e-13).margin(1e-290));
              CHECK(columns.max_weight[r] == Approx(one.max_weight).epsilon(1e-14));
              CHECK(columns.gradient_scale[r] ==
                    Approx(one.gradient_scale).epsilon(1e-13).margin(1e-290));
            }
          }
        }
      }
    }
  }
}

}  // namespace attnlab
