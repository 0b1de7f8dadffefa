#include "app/completion.h"

#include <algorithm>

namespace attnlab {
namespace {

CompletionFlag flag_of(const Parameter& parameter) {
  const ValueRules& rules = parameter.rules();
  CompletionFlag out{.name = parameter.flag(),
                     .letter = "",
                     .help = parameter.help(),
                     .words = rules.words,
                     .takes_value = rules.kind != ValueKind::kBoolean,
                     .is_list = parameter.is_list(),
                     .is_file = parameter.is_file()};
  for (const std::string& alias : parameter.aliases()) {
    if (alias.size() == 1) out.letter = alias;
  }
  if (rules.unset) out.words.push_back(*rules.unset);
  return out;
}

}  // namespace

std::vector<CompletionCommand> completions(const Commands& commands) {
  std::vector<CompletionCommand> out;
  for (const auto& command : commands) {
    CompletionCommand& one = out.emplace_back();
    one.name = command->help().name;
    one.summary = command->help().summary;
    one.positionals = command->help().positionals;
    std::vector<ParameterList*> lists = command->parameters();
    const std::vector<ParameterList*> passed_on = command->passed_on();
    lists.insert(lists.end(), passed_on.begin(), passed_on.end());
    for (const ParameterList* list : lists) {
      for (const Parameter& parameter : list->all()) {
        CompletionFlag flag = flag_of(parameter);
        const bool is_known =
            std::any_of(one.flags.begin(), one.flags.end(),
                        [&](const CompletionFlag& other) { return other.name == flag.name; });
        if (!is_known) one.flags.push_back(std::move(flag));
      }
    }
    one.flags.push_back({.name = "--help",
                         .letter = "h",
                         .help = "what the command does, and its flags",
                         .words = {},
                         .takes_value = false});
  }
  return out;
}

}  // namespace attnlab
