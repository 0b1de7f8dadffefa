#include "base/json.h"

#include "base/error.h"
#include "support/catch.h"

namespace attnlab {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_json(text, "f");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("good JSON keeps the order of its keys", "[base]") {
  const Json value = parse_json(R"({"b": [1, -2.5, 1e3], "a": {"b": null}})", "f");
  CHECK(value.dump() == R"({"b":[1,-2.5,1000.0],"a":{"b":null}})");
}

TEST_CASE("what is no strict JSON is refused with its place", "[base]") {
  CHECK(message_of("{\"a\": 1,}").starts_with("f: line 1, column 9: "));
  CHECK(message_of("{\n \"кот\": [1 2]}").starts_with("f: line 2, column 12: "));
  CHECK(message_of("\xEF\xBB\xBF{}").find("byte order mark") != std::string::npos);
  CHECK(message_of(" \n").starts_with("f: is empty"));
  CHECK(message_of("[NaN]").starts_with("f: line 1"));
  CHECK(message_of("[Infinity]").starts_with("f: line 1"));
  CHECK(message_of("[1] [2]").starts_with("f: line 1"));
  CHECK(message_of("[1e999]").find("1e999") != std::string::npos);
  CHECK(message_of("// comment\n[]").starts_with("f: line 1"));
  CHECK(message_of("[\"\xff\"]").find("UTF-8") != std::string::npos);
}

TEST_CASE("a key given twice is named by its path", "[base]") {
  CHECK(message_of(R"({"a": 1, "a": 2})").starts_with("f: a: this key is given twice"));
  CHECK(message_of(R"({"l": [0, {"x": {"y": 1, "y": 1}}]})").starts_with("f: l[1].x.y: "));
  CHECK(message_of(R"([{"a": 1}, {"a": 1, "b": {"a": 2}}])").empty());
}

TEST_CASE("nesting and numbers of keys are bounded", "[base]") {
  CHECK(message_of(std::string(100, '[') + std::string(100, ']')).empty());
  CHECK(message_of(std::string(101, '[') + std::string(101, ']')).find("100 levels") !=
        std::string::npos);
  CHECK(message_of(std::string(1'000'000, '[')).find("100 levels") != std::string::npos);
  std::string many = "{\"k\":0";
  for (int i = 0; i < 10'000; ++i) many += ",\"k" + std::to_string(i) + "\":0";
  CHECK(message_of(many + "}").find("10000 keys") != std::string::npos);
}

TEST_CASE("places of children read as a path", "[base]") {
  CHECK(child_place("a.json:", "experiments") == "a.json: experiments");
  CHECK(child_place("a.json: experiments[0]", "d") == "a.json: experiments[0].d");
  CHECK(child_place(std::string(kFlags), "head_dim") == "--head-dim");
  CHECK(child_place("x", 3) == "x[3]");
}

}  // namespace attnlab
