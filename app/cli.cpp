#include "app/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/command.h"
#include "app/help.h"
#include "app/streams.h"
#include "app/version.h"
#include "base/error.h"
#include "base/text.h"
#include "experiments/registry.h"

namespace attnlab {
namespace {

// The command of that name; UserError with the nearest one when there is none.
Command& command_named(const Commands& commands, const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const auto& command : commands) {
    if (command->help().name == name) return *command;
    names.push_back(command->help().name);
  }
  throw UserError(printable(name), "unknown command", suggest(name, names));
}

void check_positionals(const CommandHelp& help, const std::vector<std::string>& given,
                       std::vector<Mistake>& mistakes) {
  const auto& declared = help.positionals;
  const std::string see = fmt::format("see `attnlab {} --help`", help.name);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool repeats = !declared.empty() && declared.back().repeated;
    if (i >= declared.size() && !repeats) {
      mistakes.push_back(
          {printable(given[i]), fmt::format("{} takes no such argument", help.name), see});
      continue;
    }
    const Positional& positional = declared[std::min(i, declared.size() - 1)];
    const auto& words = positional.words;
    if (!words.empty() && std::find(words.begin(), words.end(), given[i]) == words.end()) {
      const std::string near = nearest(given[i], words);
      mistakes.push_back({printable(given[i]),
                          fmt::format("is no {} of {}", positional.name, help.name),
                          (near.empty() ? "" : "did you mean " + near + "? ") +
                              std::string("one of ") + join(words, ", ")});
    }
  }
  for (std::size_t i = given.size(); i < declared.size(); ++i) {
    if (!declared[i].required) continue;
    std::string name = declared[i].name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    mistakes.push_back(
        {fmt::format("attnlab {}", help.name), fmt::format("no {} is named", name),
         declared[i].words.empty() ? see : "one of " + join(declared[i].words, ", ")});
  }
}

ExitCode run_command(const Commands& commands, const std::vector<std::string>& line,
                     ColorChoice& color) {
  if (line.empty() || line[0] == "--help" || line[0] == "-h" ||
      (line[0] == "help" && line.size() == 1)) {
    write_stdout(overview(commands, terminal_width()));
    return ExitCode::kDone;
  }
  if (line[0] == "--version") {
    write_stdout(version_text());
    return ExitCode::kDone;
  }
  if (line[0].starts_with('-')) {
    throw UserError(printable(line[0]), "is no command",
                    "flags come after it: attnlab COMMAND [flags]");
  }
  if (line[0] == "help") {
    write_stdout(command_help(command_named(commands, line[1]), terminal_width()));
    return ExitCode::kDone;
  }
  Command& command = command_named(commands, line[0]);
  std::vector<ParameterList*> lists = command.parameters();
  const std::vector<ParameterList*> own = lists, passed_on = command.passed_on();
  lists.insert(lists.end(), passed_on.begin(), passed_on.end());
  std::vector<Mistake> mistakes;
  const Arguments arguments = parse_arguments(std::span(line).subspan(1), lists, line[0], mistakes);
  if (arguments.wants_help) {
    write_stdout(command_help(command, terminal_width()));
    return ExitCode::kDone;
  }
  if (arguments.wants_version) {
    write_stdout(version_text());
    return ExitCode::kDone;
  }
  for (const GivenFlag& flag : arguments.flags) {
    const bool is_own = std::any_of(own.begin(), own.end(), [&](ParameterList* list) {
      return list->find(flag.parameter->name()) == flag.parameter;
    });
    if (is_own) assign_flag(flag, *flag.parameter, mistakes);
  }
  check_positionals(command.help(), arguments.positionals, mistakes);
  color = command.color();
  std::vector<std::string> whole_line{"attnlab"};
  whole_line.insert(whole_line.end(), line.begin(), line.end());
  return command.run(arguments, whole_line, std::move(mistakes));
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments) {
  ColorChoice color = ColorChoice::kAuto;
  try {
    const Commands commands = make_commands();
    return run_command(commands, arguments, color);
  } catch (...) {
    return report_current_error(wants_color(color, stderr_is_terminal()));
  }
}

bool uses_blas(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  for (const char* command : {"run", "machine", "--version"}) {  // the latter two name its core
    if (arguments[0] == command) return true;
  }
  const ExperimentInfo* info = find_experiment(arguments[0]);
  return info != nullptr && info->uses_blas;
}

}  // namespace attnlab
