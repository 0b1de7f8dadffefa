#include "base/number.h"

#include <limits>

#include "support/catch.h"

namespace attnlab {

TEST_CASE("a text is a number as a whole or not at all", "[base]") {
  CHECK(integer_from_text("40000") == 40000);
  CHECK(integer_from_text("-3") == -3);
  CHECK(integer_from_text("+3") == 3);
  CHECK(integer_from_text("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  for (const char* text :
       {"", "-", "++3", "+-3", "1.5", "1 ", " 1", "1e3", "9223372036854775808", "0x10"}) {
    CAPTURE(text);
    CHECK(!integer_from_text(text));
  }
  CHECK(number_from_text("1e6") == 1e6);
  CHECK(number_from_text(".5") == 0.5);
  CHECK(number_from_text("1,5") == std::nullopt);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1.5x", "--1"}) {
    CAPTURE(text);
    CHECK(!number_from_text(text));
  }
}

TEST_CASE("a number's text reads back equal and is short", "[base]") {
  CHECK(number_text(64) == "64");
  CHECK(number_text(0.1) == "0.1");
  for (const double value :
       {1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e21, 64.2060849626811}) {
    CHECK(number_from_text(number_text(value)) == value);
  }
}

TEST_CASE("products and sums are exact or absent", "[base]") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(checked_product(3037000499, 3037000499) == 9223372030926249001);
  CHECK(!checked_product(3037000500, 3037000500));
  CHECK(checked_sum(kMost - 1, 1) == kMost);
  CHECK(!checked_sum(kMost, 1));
}

}  // namespace attnlab
