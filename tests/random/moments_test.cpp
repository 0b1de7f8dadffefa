#include "random/moments.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

std::vector<double> some_values(std::size_t count, double shift) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(shift + std::sin(1.0 + 12.9898 * static_cast<double>(i * i % 1009)) * 3.0 +
                  static_cast<double>(i % 7));
  }
  return out;
}

}  // namespace

TEST_CASE("central moments are those of the definition", "[random]") {
  const std::vector<double> values = {1.0, 2.0, 4.0, 9.0};
  const CentralMoments m = CentralMoments::of(values);
  CHECK(m.count == 4);
  CHECK(m.mean == 4.0);
  CHECK(m.m2 == 9.0 + 4.0 + 0.0 + 25.0);
  CHECK(m.m3 == -27.0 - 8.0 + 0.0 + 125.0);
  CHECK(m.m4 == 81.0 + 16.0 + 0.0 + 625.0);
  CHECK(m.variance(0) == 9.5);
  CHECK(m.variance(1) == Approx(38.0 / 3.0));
  CHECK(m.excess_kurtosis() == Approx(722.0 / 4.0 / (9.5 * 9.5) - 3.0));
}

TEST_CASE("moments merged from parts of any size are those of the whole", "[random]") {
  for (const double shift : {0.0, -250.0, 1e6}) {
    const std::vector<double> values = some_values(1003, shift);
    const CentralMoments whole = CentralMoments::of(values);
    for (const std::size_t part : {1, 2, 7, 64, 1000, 1003}) {
      CAPTURE(shift, part);
      CentralMoments merged;
      for (std::size_t begin = 0; begin < values.size(); begin += part) {
        const std::size_t size = std::min(part, values.size() - begin);
        merged.merge(CentralMoments::of({values.data() + begin, size}));
      }
      CHECK(merged.count == whole.count);
      CHECK(merged.mean == Approx(whole.mean).epsilon(1e-12));
      CHECK(merged.m2 == Approx(whole.m2).epsilon(1e-9));
      CHECK(merged.m3 == Approx(whole.m3).epsilon(1e-8).margin(1e-6 * std::pow(whole.m2, 1.5)));
      CHECK(merged.m4 == Approx(whole.m4).epsilon(1e-9));
    }
  }
}

TEST_CASE("what does not exist is NaN", "[random]") {
  CHECK(std::isnan(CentralMoments().variance(0)));
  const std::vector<double> one = {5.0}, equal = {2.0, 2.0, 2.0};
  CHECK(CentralMoments::of(one).variance(0) == 0.0);
  CHECK(std::isnan(CentralMoments::of(one).variance(1)));
  CHECK(CentralMoments::of(equal).variance(1) == 0.0);
  CHECK(std::isnan(CentralMoments::of(equal).excess_kurtosis()));
}

}  // namespace attnlab
