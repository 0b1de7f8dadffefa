// The lesson's printed draws, reproduced by mulberry32.
#include <cmath>
#include <vector>

#include "random/dot_product.h"
#include "random/scores.h"
#include "support/catch.h"

namespace attnlab {

TEST_CASE("mulberry32 with seed 11 reproduces the lesson's variance table", "[random]") {
  struct Row {
    std::int64_t d;
    double mean, variance0, variance1, std;
  };
  const Row rows[] = {
      {4, -0.00703997, 4.032131241648783, 4.03223204744997, 2.008016743368636},
      {64, 0.0555453, 64.2060849626811, 64.20769015493497, 8.012869957929},
      {1024, 0.2058556, 1017.8123760924822, 1017.8378220380331, 31.903171881373837}};
  ThreadTeam team(2);
  Watch watch;
  for (const Row& row : rows) {
    CAPTURE(row.d);
    const CentralMoments moments =
        sample_dot_products({.d = row.d, .rng = Rng::kMulberry32, .seed = 11}, 40000, team, watch);
    CHECK(moments.count == 40000);
    CHECK(moments.mean == Approx(row.mean).epsilon(1e-6));
    CHECK(moments.variance(0) == Approx(row.variance0).epsilon(1e-13));
    CHECK(moments.variance(1) == Approx(row.variance1).epsilon(1e-13));
    CHECK(std::sqrt(moments.variance(0)) == Approx(row.std).epsilon(1e-12));
  }
}

TEST_CASE("mulberry32 with seed 5 reproduces the lesson's eight scores", "[random]") {
  const double expected[] = {3.266585522881, 18.248910737805, -6.835133543089, 5.554398453897,
                             6.203786866773, 3.241432040641,  18.060371039308, -4.029121158552};
  std::vector<double> scores(8);
  draw_scores({.design = Design::kFresh, .rng = Rng::kMulberry32, .seed = 5}, 0, scores);
  for (std::size_t i = 0; i < 8; ++i) CHECK(scores[i] == Approx(expected[i]).margin(1e-12));
}

}  // namespace attnlab
