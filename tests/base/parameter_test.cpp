#include "base/parameter.h"

#include "support/catch.h"

namespace attnlab {

enum class Fruit { kApple, kPear };
std::span<const std::string_view> choice_names(Fruit) {
  static constexpr std::string_view kNames[] = {"apple", "pear"};
  return kNames;
}

namespace {

struct Settings {
  std::vector<std::int64_t> d{4, 64};
  std::int64_t samples = 1000;
  double mean = 0;
  bool tied = false;
  Fruit fruit = Fruit::kApple;
  std::optional<std::int64_t> head_dim;
  std::vector<double> temperature{1};
  ByteSize memory{1024};
  Duration time{0.01};
  std::string name = "x";
  ParameterList list;

  Settings() {
    list.add("d", d, "size of a head").range(1, 1024);
    list.add("samples", samples, "samples").range(2, 1e15).quick(10, 2).alias("N");
    list.add("mean", mean, "mean").above(-5);
    list.add("tied", tied, "k = q");
    list.add("fruit", fruit, "fruit");
    list.add("head_dim", head_dim, "size").range(1, 64).unset("D/heads");
    list.add("temperature", temperature, "temperature").range(0, 100);
    list.add("memory", memory, "memory");
    list.add("time", time, "time").above(0);
    list.add("name", name, "name");
  }
  std::vector<Mistake> read(const char* text) {
    std::vector<Mistake> mistakes;
    list.read(parse_json(text, "f"), "f:", {"title"}, mistakes);
    return mistakes;
  }
  std::string problem(const char* text) {
    const std::vector<Mistake> mistakes = read(text);
    return mistakes.size() == 1 ? mistakes[0].text() : "";
  }
};

}  // namespace

TEST_CASE("the fields' values at declaration are the defaults", "[base]") {
  Settings s;
  CHECK(s.list.values().dump() ==
        R"({"d":[4,64],"samples":1000,"mean":0,"tied":false,"fruit":"apple","head_dim":"D/heads",)"
        R"("temperature":[1],"memory":1024,"time":0.01,"name":"x"})");
}

TEST_CASE("values of every type are read", "[base]") {
  Settings s;
  CHECK(s.read(R"({"d": "2:32:x2", "samples": 1e6, "mean": -4.5, "tied": true, "fruit": "pear",
                   "head_dim": 8, "temperature": [0, "0.5:1.5:+0.5"], "memory": "2MiB", "time": "5ms",
                   "name": "y", "title": 7})")
            .empty());
  CHECK(s.d == std::vector<std::int64_t>{2, 4, 8, 16, 32});
  CHECK(s.samples == 1'000'000);
  CHECK(s.mean == -4.5);
  CHECK(s.tied);
  CHECK(s.fruit == Fruit::kPear);
  CHECK(s.head_dim == 8);
  CHECK(s.temperature == std::vector<double>{0, 0.5, 1, 1.5});
  CHECK(s.memory.bytes == 2097152);
  CHECK(s.time.seconds == Approx(0.005));
  CHECK(s.name == "y");
}

TEST_CASE("values() reads back to the same values", "[base]") {
  Settings s, t;
  REQUIRE(s.read(R"({"d": [7, 9], "mean": 0.1, "time": 0.25, "temperature": [0.3]})").empty());
  std::vector<Mistake> mistakes;
  t.list.read(s.list.values(), "f:", {}, mistakes);
  CHECK(mistakes.empty());
  CHECK(t.list.values() == s.list.values());
}

TEST_CASE("an unset value is null or its own word", "[base]") {
  Settings s;
  s.head_dim = 3;
  CHECK(s.read(R"({"head_dim": null})").empty());
  CHECK(!s.head_dim);
  s.head_dim = 3;
  CHECK(s.read(R"({"head_dim": "D/heads"})").empty());
  CHECK(!s.head_dim);
}

TEST_CASE("every mistake names place, value and what is allowed", "[base]") {
  Settings s;
  CHECK(s.problem(R"({"d": 0})") ==
        "f: d: 0 is too small; allowed: a whole number from 1 to 1024; or a list");
  CHECK(s.problem(R"({"d": 1025})").find("1025 is too large") != std::string::npos);
  CHECK(s.problem(R"({"samples": 1.5})").find("1.5 is not a whole number") != std::string::npos);
  CHECK(s.problem(R"({"samples": 18446744073709551615})").find("too large") != std::string::npos);
  CHECK(s.problem(R"({"samples": true})").find("true is not a whole number") != std::string::npos);
  CHECK(s.problem(R"({"samples": "7"})").find("\"7\" is not a whole number") != std::string::npos);
  CHECK(s.problem(R"({"samples": [7]})").find("[7] is not") != std::string::npos);
  CHECK(s.problem(R"({"mean": -5})").find("-5 is too small; allowed: a number above -5") !=
        std::string::npos);
  CHECK(s.problem(R"({"tied": 1})").find("1 is neither true nor false") != std::string::npos);
  CHECK(s.problem(R"({"fruit": "peer"})").find("did you mean pear?") != std::string::npos);
  CHECK(s.problem(R"({"fruit": 0})").find("one of apple, pear") != std::string::npos);
  CHECK(s.problem(R"({"memory": "2 elephants"})").find("such as 512MiB") != std::string::npos);
  CHECK(s.problem(R"({"time": "0s"})").find("too small") != std::string::npos);
  CHECK(s.problem(R"({"sampels": 3})") == "f: sampels: unknown key; did you mean samples?");
  CHECK(s.problem(R"({"samples": 3, "N": 4})").find("given twice") != std::string::npos);
  CHECK(s.read(R"({"d": 0, "sampels": 1, "tied": 2})").size() == 3);
}

TEST_CASE("a mistake leaves the field as it was", "[base]") {
  Settings s;
  REQUIRE(s.read(R"({"d": [1, 2, 0]})").size() == 1);
  CHECK(s.d == std::vector<std::int64_t>{4, 64});
}

TEST_CASE("ranges say what is wrong with them", "[base]") {
  Settings s;
  for (const char* range : {"8:4", "1:8:x1", "1:8:x0.5", "1:8:+0", "1:8:3", "1:8:x", "1:8:x2:x2",
                            ":8", "a:b", "0:8:x2", "1:1e30", "1:::"}) {
    CAPTURE(range);
    const std::string text = std::string("{\"d\": \"") + range + "\"}";
    CHECK(s.read(text.c_str()).size() == 1);
  }
  CHECK(s.read(R"({"d": "5:5"})").empty());
  CHECK(s.d == std::vector<std::int64_t>{5});
  CHECK(s.read(R"({"d": "1:10:x1.5"})").empty());
  CHECK(s.d == std::vector<std::int64_t>{1, 2, 3, 5, 8});
}

TEST_CASE("a flag's text is read as its type says", "[base]") {
  Settings s;
  const auto flag = [&](const char* name, const char* text) {
    return s.list.find(name)->from_flag(text).dump();
  };
  CHECK(flag("d", "1,2:8:x2") == R"([1,"2:8:x2"])");
  CHECK(flag("samples", "1e6") == "1000000.0");
  CHECK(flag("samples", "abc") == R"("abc")");
  CHECK(flag("tied", "false") == "false");
  CHECK(flag("tied", "no") == R"("no")");
  CHECK(flag("name", "1,2") == R"("1,2")");
  CHECK(flag("memory", "1GiB") == "1073741824");
  CHECK(s.list.find("N") == s.list.find("samples"));
  CHECK(s.list.at("head_dim").flag() == "--head-dim");
}

TEST_CASE("quick divides down to its least", "[base]") {
  Settings s;
  CHECK(s.list.find("samples")->make_quick());
  CHECK(s.samples == 100);
  s.samples = 5;
  CHECK(s.list.find("samples")->make_quick());
  CHECK(s.samples == 2);
  CHECK(!s.list.find("samples")->make_quick());
  CHECK(!s.list.find("d")->make_quick());
}

}  // namespace attnlab
