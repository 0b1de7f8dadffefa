#include "app/command.h"

#include <set>

#include "app/completion.h"
#include "app/help.h"
#include "base/text.h"
#include "support/catch.h"

using namespace attnlab;

TEST_CASE(
    "every command has a summary, an example that begins with it, and flags that do not clash",
    "[app]") {
  std::set<std::string> names;
  for (const auto& command : make_commands()) {
    const CommandHelp& help = command->help();
    INFO(help.name);
    CHECK(names.insert(help.name).second);
    CHECK_FALSE(help.summary.empty());
    REQUIRE_FALSE(help.examples.empty());
    for (const std::string& example : help.examples) {
      CHECK(example.starts_with("attnlab " + help.name));
    }
    std::set<std::string> flags{"--help", "-h", "--version"};
    for (const ParameterList* list : command->parameters()) {
      for (const Parameter& parameter : list->all()) {
        CHECK(flags.insert(parameter.flag()).second);
        for (const std::string& alias : parameter.aliases()) {
          CHECK(flags.insert(flag_of_alias(alias)).second);
        }
      }
    }
  }
}

TEST_CASE("help fits 80 columns, but for examples, which are to be copied", "[app]") {
  for (const auto& command : make_commands()) {
    const std::string text = command_help(*command, 80);
    for (const std::string& line : split(text.substr(0, text.find("\nExamples\n")), '\n')) {
      INFO(line);
      CHECK(display_width(line) <= 80);
    }
  }
}

TEST_CASE("the completion of every shell knows every command and flag", "[app]") {
  const Commands commands = make_commands();
  const std::vector<CompletionCommand> all = completions(commands);
  REQUIRE(all.size() == commands.size());
  for (const std::string& script :
       {bash_completion(all), zsh_completion(all), fish_completion(all)}) {
    for (const CompletionCommand& command : all) {
      CHECK(script.find(command.name) != std::string::npos);
      for (const CompletionFlag& flag : command.flags) {
        CHECK(script.find(flag.name.substr(2)) != std::string::npos);
      }
    }
  }
}
