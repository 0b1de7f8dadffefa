#include "app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace attnlab {
namespace {

// `left` padded to `column`, then `text` broken into lines that all begin at `column`.
std::string entry(const std::string& left, const std::string& text, std::size_t column,
                  std::size_t width) {
  std::string out, line = left;
  line.resize(std::max(column, left.size() + 1), ' ');
  bool fresh = true;
  for (const std::string& word : split(text, ' ')) {
    if (!fresh && display_width(line) + 1 + display_width(word) > width) {
      out += line + '\n';
      line.assign(column, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
  }
  return out + line + '\n';
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(value_text(item));
  return join(items, ",");
}

std::string flags_of(const Parameter& parameter) {
  std::string out;
  for (const std::string& alias : parameter.aliases()) {
    std::string name = alias;
    std::replace(name.begin(), name.end(), '_', '-');
    out += (alias.size() == 1 ? "-" : "--") + name + ", ";
  }
  return "  " + out + parameter.flag();
}

std::string sentence_of(const Parameter& parameter) {
  std::string out = parameter.help();
  const ValueRules& rules = parameter.rules();
  if (rules.kind != ValueKind::kBoolean && rules.kind != ValueKind::kText) {
    out += "; " + parameter.allowed();
  }
  if (!parameter.unit().empty()) out += " [" + parameter.unit() + "]";
  const std::string value = value_text(parameter.default_value());
  if (!value.empty() && rules.kind != ValueKind::kBoolean) out += " (default " + value + ")";
  return out;
}

}  // namespace

std::string overview(const std::vector<CommandHelp>& commands, std::size_t width) {
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
  for (const CommandHelp& command : commands) {
    column = std::max(column, command.name.size() + command.arguments.size() + 5);
  }
  for (const CommandHelp& command : commands) {
    out += entry("  " + command.name + (command.arguments.empty() ? "" : " " + command.arguments),
                 command.summary, column, width);
  }
  return out + "\n`attnlab COMMAND --help` tells more; `attnlab --version` how it was built.\n";
}

std::string command_help(const CommandHelp& command, const std::vector<const ParameterList*>& lists,
                         std::size_t width) {
  std::string out = fmt::format("attnlab {}: {}\n", command.name, command.summary);
  if (!command.source.empty()) out += entry("", "Source: " + command.source, 0, width).substr(1);
  out += fmt::format("\nUsage: attnlab {}{} [flags]\n", command.name,
                     command.arguments.empty() ? "" : " " + command.arguments);
  std::vector<std::string> groups;
  for (const ParameterList* list : lists) {
    for (const Parameter& parameter : list->all()) {
      if (std::find(groups.begin(), groups.end(), parameter.group()) == groups.end()) {
        groups.push_back(parameter.group());
      }
    }
  }
  for (const std::string& group : groups) {
    out += '\n' + group + '\n';
    for (const ParameterList* list : lists) {
      for (const Parameter& parameter : list->all()) {
        if (parameter.group() != group) continue;
        out += entry(flags_of(parameter), sentence_of(parameter), 24, width);
      }
    }
  }
  out += "\nLists are written 64,128,256 or as ranges: 64:1024:x2, 16:64:+16.\n";
  if (!command.examples.empty()) out += "\nExamples\n";
  for (const std::string_view example : command.examples) out += fmt::format("  {}\n", example);
  return out;
}

}  // namespace attnlab
