#include "machine/peak.h"

#include <algorithm>

#include "support/catch.h"

namespace attnlab {

TEST_CASE("the peaks of bf16 count the multiply-adds of every thread", "[machine]") {
  ThreadTeam two(2);
  for (const Isa isa : {Isa::kAvx512Bf16, Isa::kAmx}) {
    if (!isa_absence(isa).empty()) {
      WARN(isa_absence(isa) << ": its peak was not tested");
      continue;
    }
    const double products =
        isa == Isa::kAmx ? 16.0 * 16 * 32 * 4 * (1200 / 12 + 1) : 2.0 * 16 * 12 * 1200;
    CHECK(run_peak_probe(isa, 1200, two) == 2 * 2 * products);
    CHECK(peak_isa(isa) == isa);
  }
}

TEST_CASE("the probe counts the multiply-adds of every thread and vector", "[machine]") {
  ThreadTeam one(1), two(2);
  for (const Isa isa : {Isa::kSse4, Isa::kAvx2, Isa::kAvx512, Isa::kNeon}) {
    DYNAMIC_SECTION(isa_name(isa)) {
      const auto here = simd_isas();
      if (std::find(here.begin(), here.end(), isa) == here.end()) {
        WARN(isa_name(isa) << " is absent and was not tested");
        continue;
      }
      const double lanes = isa == Isa::kAvx512 ? 16 : isa == Isa::kAvx2 ? 8 : 4;
      CHECK(run_peak_probe(isa, 1000, one) == 2 * 12 * lanes * 1000);
      CHECK(run_peak_probe(isa, 1000, two) == 2 * run_peak_probe(isa, 1000, one));
    }
  }
}

TEST_CASE("BLAS is held against the best instruction set, any other against itself", "[machine]") {
  CHECK(peak_isa(Isa::kBlas) == simd_isas().back());
  CHECK(peak_isa(Isa::kSse4) == Isa::kSse4);
}

}  // namespace attnlab
