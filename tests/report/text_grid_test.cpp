#include "report/text_grid.h"

#include "base/text.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

std::vector<GridColumn> columns() {
  return {{.header = "d", .cells = {"4", "1024"}, .numeric = true, .key = true},
          {.header = "имя", .cells = {"да", "нет"}},
          {.header = "time", .unit = "ms", .cells = {"1.25", "100.00"}, .numeric = true},
          {.header = "why", .cells = {"", "because it is longer than the rest of it all"}}};
}

std::size_t widest(const std::string& text) {
  std::size_t out = 0;
  for (const std::string& line : split(text, '\n')) out = std::max(out, display_width(line));
  return out;
}

}  // namespace

TEST_CASE("columns that fit stand side by side, numbers to the right", "[report]") {
  const TextGrid grid(columns(), {.width = 80});
  REQUIRE(grid.fits());
  REQUIRE(grid.text() ==
          "   d  имя    time  why\n"
          "               ms\n"
          "   4  да     1.25\n"
          "1024  нет  100.00  because it is longer than the rest of it all\n");
}

TEST_CASE("a text gives way first, and is wrapped", "[report]") {
  const TextGrid grid(columns(), {.width = 46});
  REQUIRE_FALSE(grid.fits());
  REQUIRE(grid.text() ==
          "   d  имя    time  why\n"
          "               ms\n"
          "   4  да     1.25\n"
          "1024  нет  100.00  because it is longer than\n"
          "                   the rest of it all\n");
}

TEST_CASE("then the table is cut into blocks that repeat the keys", "[report]") {
  const TextGrid grid(columns(), {.width = 31});
  REQUIRE(grid.text() ==
          "   d  имя    time\n"
          "               ms\n"
          "   4  да     1.25\n"
          "1024  нет  100.00\n"
          "\n"
          "   d  why\n"
          "   4\n"
          "1024  because it is longer than\n"
          "      the rest of it all\n");
}

TEST_CASE("a grid is never wider than asked without saying so", "[report]") {
  for (std::size_t width = 1; width < 90; ++width) {
    const TextGrid grid(columns(), {.width = width, .indent = 2});
    REQUIRE((widest(grid.text()) <= width || grid.overflows()));
    if (width >= 40) REQUIRE_FALSE(grid.overflows());
  }
}

TEST_CASE("colour changes nothing but the colour", "[report]") {
  std::vector<GridColumn> tinted = columns();
  tinted[1].colors = {"32", "1;31"};
  const std::string plain = TextGrid(tinted, {.width = 31}).text();
  std::string colored_text = TextGrid(tinted, {.width = 31, .color = true}).text();
  REQUIRE(colored_text.find("\x1b[1;31mнет\x1b[0m") != std::string::npos);
  for (std::size_t at; (at = colored_text.find('\x1b')) != std::string::npos;) {
    colored_text.erase(at, colored_text.find('m', at) + 1 - at);
  }
  REQUIRE(colored_text == plain);
}
