#include "report/json_text.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "support/catch.h"

using namespace attnlab;

TEST_CASE("pretty JSON keeps short values on a line and breaks long ones", "[report]") {
  REQUIRE(pretty_json(Json::parse(R"({"a":[1,2],"b":{}})")) == R"({"a": [1, 2], "b": {}})");
  Json list = Json::array();
  for (int i = 100; i < 160; ++i) list.push_back(i);
  const std::string text = pretty_json({{"n", list}, {"deep", {{"text", std::string(90, 'x')}}}});
  REQUIRE(Json::parse(text) == Json({{"n", list}, {"deep", {{"text", std::string(90, 'x')}}}}));
  REQUIRE(text.find("\n    100, 101,") != std::string::npos);
}

TEST_CASE("bytes that are no UTF-8 are replaced", "[report]") {
  REQUIRE(plain_json("a\xFF") == "\"a\xEF\xBF\xBD\"");
  std::string out;
  append_json(out, Cell(std::string("a\xFF\"\n")));
  REQUIRE(out == "\"a\xEF\xBF\xBD\\\"\\n\"");
}

TEST_CASE("a cell in JSON reads back as the same kind of the same value", "[report]") {
  const auto text_of = [](const Cell& cell) {
    std::string out;
    append_json(out, cell);
    return out;
  };
  REQUIRE(text_of(Cell(64.0)) == "64.0");
  REQUIRE(text_of(Cell(std::int64_t{64})) == "64");
  REQUIRE(text_of(Cell()) == "null");
  REQUIRE(text_of(Cell(true)) == "true");
  REQUIRE(text_of(Cell(std::vector<std::int64_t>{1, 2})) == "[1,2]");
  std::mt19937_64 bits(1);
  for (int i = 0; i < 10000; ++i) {
    double value = 0;
    const std::uint64_t random = bits();
    std::memcpy(&value, &random, sizeof value);
    if (!std::isfinite(value)) continue;
    const Json read = Json::parse(text_of(Cell(value)));
    REQUIRE(read.is_number_float());
    REQUIRE(read.get<double>() == value);
  }
}
