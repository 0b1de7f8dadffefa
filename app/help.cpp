#include "app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostWidth = 120;  // longer lines are hard to read

// `left` and `text` beside it from `column` on; on lines of its own where `left` is too long.
std::string entry(std::string left, const std::string& text, std::size_t column,
                  std::size_t width) {
  std::string out;
  if (display_width(left) + 1 > column) {
    out = left + '\n';
    left.clear();
  }
  left.append(column - display_width(left), ' ');
  return out + wrapped_beside(left, text, std::min(width, kMostWidth));
}

std::string flags_of(const Parameter& parameter) {
  std::string out = "  ";
  for (const std::string& alias : parameter.aliases()) out += flag_of_alias(alias) + ", ";
  return out + parameter.flag();
}

std::string sentence_of(const Parameter& parameter) {
  std::string out = parameter.help();
  const ValueRules& rules = parameter.rules();
  if (rules.kind != ValueKind::kBoolean && rules.kind != ValueKind::kText) {
    out += "; " + parameter.allowed();
  }
  if (!parameter.unit().empty()) out += " [" + parameter.unit() + "]";
  const std::string value = parameter.default_text();
  if (!value.empty() && rules.kind != ValueKind::kBoolean) out += " (default " + value + ")";
  return out;
}

std::string grouped_parameters(const std::vector<ParameterList*>& lists, std::size_t width) {
  std::vector<std::string> groups;
  for (const ParameterList* list : lists) {
    for (const Parameter& parameter : list->all()) {
      if (std::find(groups.begin(), groups.end(), parameter.group()) == groups.end()) {
        groups.push_back(parameter.group());
      }
    }
  }
  std::string out;
  for (const std::string& group : groups) {
    out += '\n' + group + '\n';
    for (const ParameterList* list : lists) {
      for (const Parameter& parameter : list->all()) {
        if (parameter.group() != group) continue;
        out += entry(flags_of(parameter), sentence_of(parameter), 24, width);
      }
    }
  }
  return out;
}

}  // namespace

std::string usage_of(const std::vector<Positional>& positionals) {
  std::vector<std::string> parts;
  for (const Positional& positional : positionals) {
    std::string part = positional.name + (positional.repeated ? "..." : "");
    parts.push_back(positional.required ? part : "[" + part + "]");
  }
  return join(parts, " ");
}

std::string overview(const Commands& commands, std::size_t width) {
  std::string out =
      "attnlab: a laboratory for attention on the CPU.\n"
      "It reproduces the tables of a lesson on attention, and measures what they leave open.\n\n"
      "Examples\n"
      "  attnlab variance              the variance of q.k grows with d\n"
      "  attnlab cost --D 768          from which n on attention outweighs the projections\n"
      "  attnlab run configs/lesson.json -o results/lesson\n"
      "                                the lesson's three tables, checked and written to files\n\n"
      "Commands\n";
  std::size_t column = 0;
  const auto left_of = [](const Command& command) {
    const std::string usage = usage_of(command.help().positionals);
    return "  " + command.help().name + (usage.empty() ? "" : " " + usage);
  };
  for (const auto& command : commands) column = std::max(column, left_of(*command).size() + 2);
  for (const auto& command : commands) {
    out += entry(left_of(*command), command->help().summary, column, width);
  }
  return out + "\n`attnlab COMMAND --help` tells more, `attnlab --version` how it was built.\n";
}

std::string command_help(Command& command, std::size_t width) {
  const CommandHelp& help = command.help();
  const std::string usage = usage_of(help.positionals);
  const std::vector<ParameterList*> lists = command.parameters();
  std::string out =
      wrapped_beside("", fmt::format("attnlab {}: {}", help.name, help.summary), width);
  if (!help.source.empty()) out += wrapped_beside("", "Source: " + help.source, width);
  out += fmt::format("\nUsage: attnlab {}{}{}\n", help.name, usage.empty() ? "" : " " + usage,
                     lists.empty() ? "" : " [flags]");
  for (const Positional& positional : help.positionals) {
    if (positional.words.empty()) continue;
    out += entry("  " + positional.name, "one of " + join(positional.words, ", "), 24, width);
  }
  out += grouped_parameters(lists, width);
  bool has_list = false;
  for (const ParameterList* list : lists) {
    for (const Parameter& parameter : list->all()) has_list = has_list || parameter.is_list();
  }
  if (has_list) {
    out += '\n' + wrapped_beside("",
                                 "Lists are written 64,128,256 or as ranges: 64:1024:x2, "
                                 "16:64:+16. Several lists make a grid, in which the list that "
                                 "stands first above varies slowest.",
                                 std::min(width, kMostWidth));
  }
  if (!command.passed_on().empty()) {
    out += '\n' + wrapped_beside("",
                                 "A flag of an experiment (--samples 1000) replaces that key in "
                                 "every experiment of the configs that has it.",
                                 std::min(width, kMostWidth));
  }
  if (!help.examples.empty()) out += "\nExamples\n";
  for (const std::string& example : help.examples) out += "  " + example + '\n';
  return out;
}

}  // namespace attnlab
