#include "machine/isa.h"

#include "support/catch.h"

namespace attnlab {

TEST_CASE("every instruction set has a name that finds it again", "[machine]") {
  for (const Isa isa : {Isa::kBlas, Isa::kSse4, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16,
                        Isa::kAmx, Isa::kNeon}) {
    REQUIRE(!isa_name(isa).empty());
    CHECK(isa_from_name(isa_name(isa)) == isa);
  }
  CHECK(!isa_from_name("avx1024"));
}

TEST_CASE("this machine has at least one SIMD instruction set", "[machine]") {
  CHECK(!simd_isas().empty());
}

}  // namespace attnlab
