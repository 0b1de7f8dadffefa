#include "base/text.h"

#include "support/catch.h"

namespace attnlab {

TEST_CASE("the nearest name forgives a typing mistake and nothing more", "[base]") {
  const std::vector<std::string> names{"samples", "seed", "scale", "head_dim", "d"};
  CHECK(nearest("sampels", names) == "samples");
  CHECK(nearest("Head-Dim", names) == "head_dim");
  CHECK(nearest("sacle", names) == "scale");
  CHECK(nearest("temperature", names).empty());
  CHECK(nearest(std::string(10000, 'x'), names).empty());
  CHECK(suggest("sampels", names) == "did you mean samples?");
  CHECK(suggest("zzzzzz", {"a", "b"}) == "known: a, b");
}

TEST_CASE("split and join are inverse", "[base]") {
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(join({"a", "", "b"}, ",") == "a,,b");
  CHECK(join({}, ",").empty());
}

TEST_CASE("a printable text is valid UTF-8 without control characters", "[base]") {
  CHECK(printable("a\nb\tc\x1b[31m") == "a b c [31m");
  CHECK(printable("\xff\xfe") == "??");
  CHECK(printable("abcdef", 3) == "abc...");
  CHECK(printable("кот", 3) == "к...");  // never half a character
  CHECK(printable("\xc2\x9b") == " ");   // a control character above ASCII
}

TEST_CASE("display width counts terminal columns", "[base]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("кот сел") == 7);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("e\xcc\x81") == 1);  // e and a combining accent
  CHECK(display_width("±") == 1);
  CHECK(display_width("👍") == 2);
  CHECK(display_width("👍🏽") == 2);            // with a tone of skin
  CHECK(display_width("👨‍👩‍👧") == 2);  // three joined to a family
  CHECK(display_width("❤️") == 2);              // a heart that asks to be an emoji
  CHECK(display_width("🇪🇺🇺🇳") == 4);                // two flags
  CHECK(display_width("각") == 2);                  // a syllable of three jamo
  CHECK(display_width("\xff") == 1);
}

}  // namespace attnlab
