#include "report/heat_map.h"

#include "base/text.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Table weights(std::int64_t n, const std::vector<std::string>& words, bool two_maps) {
  Table table("weights", "test",
              {{"scale", "", ColumnKind::kParameter},
               {"query", "", ColumnKind::kParameter},
               {"key", "", ColumnKind::kParameter},
               {"query_token", "", ColumnKind::kExact},
               {"key_token", "", ColumnKind::kExact},
               {"weight", "", ColumnKind::kMeasured}});
  table.matrix = {"query", "key", "weight", "query_token", "key_token"};
  for (const char* scale : {"none", "sqrt"}) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        table.add_row()
            .set("scale", scale)
            .set("query", i)
            .set("key", j)
            .set("query_token", words[static_cast<std::size_t>(i) % words.size()])
            .set("key_token", words[static_cast<std::size_t>(j) % words.size()])
            .set("weight", i == j ? 1.0 : 0.25);
      }
    }
    if (!two_maps) break;
  }
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::size_t out = 0;
  for (const std::string& line : split(text, '\n')) out = std::max(out, display_width(line));
  return out;
}

TEST_CASE("a heat map has a label and digits for every cell", "[report]") {
  const Table table = weights(3, {"кот", "сел", "на"}, false);
  const auto maps = heat_maps_of(table, *table.matrix);
  REQUIRE(maps.size() == 1);
  CHECK(maps[0].title.empty());
  CHECK(heat_maps_text(maps, 80, false) ==
        "     кот  сел   на\n"
        "кот 1.00 0.25 0.25\n"
        "сел 0.25 1.00 0.25\n"
        "на  0.25 0.25 1.00\n");
}

TEST_CASE("heat maps stand side by side where there is room", "[report]") {
  const Table table = weights(6, {"кот", "сел", "на", "коврик", "и", "уснул"}, true);
  const auto maps = heat_maps_of(table, *table.matrix);
  REQUIRE(maps.size() == 2);
  const std::string wide = heat_maps_text(maps, 80, false);
  CHECK(split(wide, '\n').size() == 1 + 1 + 6 + 1);
  CHECK(wide.find("ков…") != std::string::npos);  // cut, so that both fit
  CHECK(widest_line(wide) <= 80);
  const std::string narrow = heat_maps_text(maps, 60, false);
  CHECK(split(narrow, '\n').size() == 2 * (1 + 1 + 6) + 1 + 1);
  CHECK(narrow.find("коврик") != std::string::npos);
  CHECK(widest_line(narrow) <= 60);
}

TEST_CASE("wide heat maps become percent, then are cut into blocks", "[report]") {
  const Table many = weights(20, {"a"}, false);
  const std::string percent = heat_maps_text(heat_maps_of(many, *many.matrix), 80, false);
  CHECK(percent.find("25") != std::string::npos);
  CHECK(percent.find("0.25") == std::string::npos);
  CHECK(percent.find("in percent") != std::string::npos);
  CHECK(widest_line(percent) <= 80);
  const Table more = weights(40, {"a"}, false);
  const std::string cut = heat_maps_text(heat_maps_of(more, *more.matrix), 80, false);
  CHECK(widest_line(cut) <= 80);
  CHECK(split(cut, '\n').size() == 3 * 41 + 2 + 1);
}

TEST_CASE("colour changes nothing but the background", "[report]") {
  const Table table = weights(3, {"кот", "сел", "на"}, false);
  const auto maps = heat_maps_of(table, *table.matrix);
  std::string colored = heat_maps_text(maps, 80, true);
  CHECK(colored.find("\x1b[48;5;") != std::string::npos);
  for (std::size_t at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == heat_maps_text(maps, 80, false));
}

TEST_CASE("texts are shortened by what a reader sees", "[report]") {
  CHECK(shortened("коврик", 6) == "коврик");
  CHECK(shortened("коврик", 4) == "ков…");
  CHECK(shortened("漢字漢字", 5) == "漢字…");
  CHECK(shortened("漢字漢字", 4) == "漢…");
  CHECK(shortened("e\xcc\x81te\xcc\x81", 2) == "e\xcc\x81…");
  CHECK(shortened("abc", 1) == "…");
  CHECK(shortened("abc", 0).empty());
}

}  // namespace
}  // namespace attnlab
