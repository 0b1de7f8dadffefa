#include "app/arguments.h"

#include <optional>

#include "support/catch.h"

using namespace attnlab;

namespace {

struct Settings {
  std::vector<std::int64_t> d{64};
  double mean = 0;
  bool tied = false;
  std::string output;
  ParameterList list;

  Settings() {
    list.add("head_dim", d, "size").alias("d").range(1, 100);
    list.add("mean", mean, "mean");
    list.add("tied", tied, "tied");
    list.add("output", output, "where").alias("o");
  }
};

struct Parsed {
  Settings settings;
  Arguments arguments;
  std::vector<Mistake> mistakes;

  explicit Parsed(const std::vector<std::string>& texts) {
    arguments = parse_arguments(texts, {&settings.list}, "test", mistakes);
    for (const GivenFlag& flag : arguments.flags) assign_flag(flag, *flag.parameter, mistakes);
  }
};

using Ints = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a flag takes its value in every usual form", "[app]") {
  CHECK(Parsed({"--head-dim", "8,16"}).settings.d == Ints{8, 16});
  CHECK(Parsed({"--head-dim=8,16"}).settings.d == Ints{8, 16});
  CHECK(Parsed({"--head-dim=8", "--head-dim", "16"}).settings.d == Ints{8, 16});
  CHECK(Parsed({"--mean", "-1.5"}).settings.mean == -1.5);
  CHECK(Parsed({"--mean", "-.5"}).settings.mean == -0.5);
  CHECK(Parsed({"-o", "x"}).settings.output == "x");
  CHECK(Parsed({"-o=x"}).settings.output == "x");
  CHECK(Parsed({"--output", "-"}).settings.output == "-");
  CHECK(Parsed({"--output="}).settings.output.empty());
  CHECK(Parsed({"--tied"}).settings.tied);
  CHECK_FALSE(Parsed({"--tied=false"}).settings.tied);
}

TEST_CASE("what is no flag is an argument, and so is all after --", "[app]") {
  const Parsed parsed({"a.json", "--tied", "b.json", "--", "--tied", "-o"});
  CHECK(parsed.mistakes.empty());
  CHECK(parsed.arguments.positionals == Texts{"a.json", "b.json", "--tied", "-o"});
  CHECK(parsed.settings.tied);
}

TEST_CASE("an empty value is a value, and brackets are text", "[app]") {
  const Parsed parsed({"--output=", "a.json"});
  CHECK(parsed.arguments.positionals == Texts{"a.json"});
  CHECK(parsed.arguments.flags.at(0).texts == Texts{""});
  CHECK(Parsed({"--output", "[a,b]"}).settings.output == "[a,b]");
  CHECK(Parsed({"--output", "{}"}).settings.output == "{}");
  CHECK(Parsed({"--output=a=b"}).settings.output == "a=b");
}

TEST_CASE("two dashes end the flags wherever they stand", "[app]") {
  CHECK(Parsed({"--mean", "1", "--", "--tied"}).arguments.positionals == Texts{"--tied"});
  const Parsed parsed({"--mean", "--", "1"});
  CHECK(parsed.arguments.positionals == Texts{"1"});
  REQUIRE(parsed.mistakes.size() == 1);
  CHECK(parsed.mistakes[0].problem == "needs a value");
}

TEST_CASE("a long flag with one dash is unknown, not a letter and its value", "[app]") {
  for (const char* text : {"-output", "-output=x", "-ox"}) {
    const Parsed parsed({text});
    REQUIRE(parsed.mistakes.size() == 1);
    CHECK(parsed.arguments.flags.empty());
  }
}

TEST_CASE("an alias of one letter is no long flag", "[app]") {
  REQUIRE(Parsed({"--o", "x"}).mistakes.size() == 1);
  REQUIRE(Parsed({"--d", "8"}).mistakes.size() == 1);
  CHECK(Parsed({"-d", "8"}).settings.d == Ints{8});
}

TEST_CASE("all mistakes are found, and an unknown flag takes its value along", "[app]") {
  const Parsed parsed(
      {"--haed-dim", "8", "--mean", "--tide", "file", "--mean", "1", "--mean", "2"});
  REQUIRE(parsed.mistakes.size() == 4);
  CHECK(parsed.mistakes[0].remedy == "did you mean --head-dim?");
  CHECK(parsed.mistakes[1].remedy == "did you mean --tied?");
  CHECK(parsed.mistakes[2].problem == "needs a value");
  CHECK(parsed.mistakes[3].problem == "is given more than once");
  CHECK(parsed.arguments.positionals == Texts{"file"});
}

TEST_CASE("help and version are found anywhere", "[app]") {
  CHECK(Parsed({"--bogus", "-h"}).arguments.wants_help);
  CHECK(Parsed({"--version"}).arguments.wants_version);
  CHECK_FALSE(Parsed({"--", "--help"}).arguments.wants_help);
}
