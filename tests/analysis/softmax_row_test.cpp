#include "analysis/softmax_row.h"

#include <cmath>

#include "support/catch.h"

namespace attnlab {
namespace {

constexpr double kLessonScores[] = {3.266585522881,  18.248910737805, -6.835133543089,
                                    5.554398453897,  6.203786866773,  3.241432040641,
                                    18.060371039308, -4.029121158552};

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

}  // namespace attnlab
