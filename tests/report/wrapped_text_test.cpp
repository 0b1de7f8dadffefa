#include "report/wrapped_text.h"

#include "base/text.h"
#include "support/catch.h"

using namespace attnlab;

using Lines = std::vector<std::string>;

TEST_CASE("text is broken at blanks and fills its lines", "[report]") {
  REQUIRE(wrapped_lines("", 5) == Lines{""});
  REQUIRE(wrapped_lines("one two", 7) == Lines{"one two"});
  REQUIRE(wrapped_lines("one two", 6) == Lines{"one", "two"});
  REQUIRE(wrapped_lines("a bc def", 4) == Lines{"a bc", "def"});
}

TEST_CASE("a word that is too long is cut, between characters", "[report]") {
  REQUIRE(wrapped_lines("abcdefg", 3) == Lines{"abc", "def", "g"});
  REQUIRE(wrapped_lines("a bcdefg", 3) == Lines{"a", "bcd", "efg"});
  REQUIRE(wrapped_lines("дисперсия", 4) == Lines{"дисп", "ерси", "я"});
  REQUIRE(wrapped_lines("漢字漢字", 5) == Lines{"漢字", "漢字"});  // two columns each
  REQUIRE(wrapped_lines("漢", 1) == Lines{"漢"});                  // at least one character a line
}

TEST_CASE("no line is wider than asked, whatever the text", "[report]") {
  const std::string text =
      "a  bb   cccc дддддд 漢字漢字漢字 e\xCC\x81\xCC\x81 \xFF\xFE fffffffffffff";
  for (std::size_t width = 2; width < 40; ++width) {
    for (const std::string& line : wrapped_lines(text, width)) {
      REQUIRE(display_width(line) <= width);
    }
  }
}

TEST_CASE("text beside a heading is indented to it", "[report]") {
  REQUIRE(wrapped_beside("  key  ", "one two three four", 25) == "  key  one two three four\n");
  REQUIRE(wrapped_beside("  key  ", "one two three four", 24) ==
          "  key  one two three\n       four\n");
}
