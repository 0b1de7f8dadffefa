#include "base/error.h"

#include "support/catch.h"

namespace attnlab {

TEST_CASE("a mistake names place, problem and remedy", "[base]") {
  CHECK(Mistake{"--d", "0 is too small", "give 1 or more"}.text() ==
        "--d: 0 is too small; give 1 or more");
  CHECK(Mistake{"", "no command", ""}.text() == "no command");
}

TEST_CASE("a user error carries every mistake, one a line", "[base]") {
  const UserError error({{"a", "x", ""}, {"b", "y", "z"}});
  CHECK(std::string(error.what()) == "a: x\nb: y; z");
  CHECK(error.mistakes().size() == 2);
}

}  // namespace attnlab
