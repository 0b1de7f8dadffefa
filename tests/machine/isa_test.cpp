#include "machine/isa.h"

#include "machine/amx.h"
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

TEST_CASE("what cannot run here has a reason, what can has none", "[machine]") {
  for (const Isa isa : simd_isas()) CHECK(isa_absence(isa).empty());
  CHECK(isa_absence(Isa::kBlas).empty());
  const Isa other = kBaseIsa == Isa::kNeon ? Isa::kSse4 : Isa::kNeon;
  CHECK(isa_absence(other) == "this processor has no " + std::string(isa_name(other)));
  if (!may_use_amx()) CHECK(isa_absence(Isa::kAmx) == amx_refusal());
}

TEST_CASE("a refusal of AMX is a reason of its own while it lasts", "[machine]") {
  const std::string before = isa_absence(Isa::kAmx);
  {
    const SimulatedAmxRefusal refusal("the system refuses this process AMX (simulated)");
    CHECK(!may_use_amx());
    CHECK(isa_absence(Isa::kAmx) == "the system refuses this process AMX (simulated)");
  }
  CHECK(isa_absence(Isa::kAmx) == before);
}

TEST_CASE("this machine has at least one SIMD instruction set", "[machine]") {
  CHECK(!simd_isas().empty());
}

}  // namespace attnlab
