#include "machine/amx.h"

#include "support/catch.h"

namespace attnlab {

TEST_CASE("the tile probe counts the multiply-adds of every thread", "[machine]") {
  if (!may_use_amx()) {
    WARN("amx is absent and was not tested");
    return;
  }
  ThreadTeam one(1), two(2);
  CHECK(run_amx_probe(100, one) == 2.0 * 16 * 16 * 32 * 4 * 100);
  CHECK(run_amx_probe(100, two) == 2 * run_amx_probe(100, one));
}

}  // namespace attnlab
