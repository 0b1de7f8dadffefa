#include "app/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "app/build_info.h"
#include "app/help.h"
#include "app/options.h"
#include "app/run_command.h"
#include "app/streams.h"
#include "base/error.h"
#include "base/text.h"
#include "experiments/registry.h"

namespace attnlab {
namespace {

// The flags of a command as CLI11 sees them, each tied to its parameter.
class Flags {
 public:
  void add(CLI::App& command, ParameterList& list) {
    for (Parameter& parameter : list.all()) {
      std::string names = parameter.flag();
      for (std::string alias : parameter.aliases()) {
        std::replace(alias.begin(), alias.end(), '_', '-');
        names += (alias.size() == 1 ? ",-" : ",--") + alias;
      }
      const bool is_switch = parameter.rules().kind == ValueKind::kBoolean;
      CLI::Option* option = is_switch ? command.add_flag(names) : command.add_option(names);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      if (!is_switch) option->expected(1)->allow_extra_args(false);
      entries_.push_back({option, &parameter});
    }
  }

  // Stores what was given; a list given several times is one list.
  void assign(std::vector<Mistake>& mistakes) const {
    for (const auto& [option, parameter] : entries_) {
      const std::vector<std::string> texts = option->results();
      if (texts.empty()) continue;
      if (texts.size() > 1 && !parameter->is_list()) {
        mistakes.push_back({parameter->flag(), "is given more than once", "keep one"});
        continue;
      }
      const std::string problem = parameter->assign(parameter->from_flag(join(texts, ",")));
      if (!problem.empty()) {
        mistakes.push_back({parameter->flag(), problem, "allowed: " + parameter->allowed()});
      }
    }
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out{"--help"};
    for (const auto& [option, parameter] : entries_) out.push_back(parameter->flag());
    return out;
  }

 private:
  struct Entry {
    CLI::Option* option;
    Parameter* parameter;
  };
  std::vector<Entry> entries_;
};

// One subcommand with its options.
struct Command {
  CommandHelp help;
  CLI::App* app = nullptr;
  Options options;
  ParameterList option_list;
  std::optional<PlannedExperiment> experiment;  // of an experiment's command
  std::vector<std::string> files;               // of `run`
  Flags flags;
};

class CommandLine {
 public:
  CommandLine() : app_("attnlab") {
    app_.set_help_flag("");
    app_.allow_extras();
    app_.add_flag("--help,-h", wants_help_);
    app_.add_flag("--version", wants_version_);
    for (const ExperimentInfo& info : experiments()) {
      Command& command = add({std::string(info.name), "", std::string(info.summary),
                              std::string(info.source), info.examples});
      command.experiment = plan_experiment(info, std::string(kFlags));
      finish(command, true);
    }
    Command& run =
        add({"run",
             "CONFIG...",
             "any number of experiments, from JSON files",
             "",
             {"attnlab run configs/lesson.json", "attnlab run configs/ci.json --format json"}});
    run.app->add_option("CONFIG", run.files);
    finish(run, false);
  }

  ExitCode run(std::vector<std::string> arguments) {
    const std::vector<std::string> command_line = arguments;
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      throw UserError("", error.what(), "see `attnlab --help`");
    }
    const auto chosen = std::find_if(commands_.begin(), commands_.end(),
                                     [](const Command& command) { return command.app->parsed(); });
    if (wants_version_) {
      write_stdout(version_text());
      return ExitCode::kDone;
    }
    if (chosen == commands_.end()) {
      refuse_extras(app_.remaining(), nullptr);
      write_stdout(overview(helps(), terminal_width()));
      return ExitCode::kDone;
    }
    if (wants_help_) {
      std::vector<const ParameterList*> lists;
      if (chosen->experiment) lists.push_back(chosen->experiment->parameters.get());
      lists.push_back(&chosen->option_list);
      write_stdout(command_help(chosen->help, lists, terminal_width()));
      return ExitCode::kDone;
    }
    refuse_extras(app_.remaining(true), &*chosen);
    std::vector<Mistake> mistakes;
    chosen->flags.assign(mistakes);
    color_ = chosen->options.color;
    Plan plan;
    if (chosen->experiment) {
      chosen->experiment->is_readable = mistakes.empty();
      plan.name = chosen->experiment->info->name;
      plan.experiments.push_back(std::move(*chosen->experiment));
    } else {
      plan = read_plans(chosen->files, chosen->options.seed, mistakes);
    }
    settle_plan(plan, chosen->options.quick, mistakes);
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    return run_plan_command(std::move(plan), chosen->options, command_line,
                            chosen->help.name == "run");
  }

  ColorChoice color() const { return color_; }

 private:
  Command& add(CommandHelp help) {
    Command& command = commands_.emplace_back();
    command.app = app_.add_subcommand(help.name);
    command.app->set_help_flag("");
    command.app->allow_extras();
    command.app->add_flag("--help,-h", wants_help_);
    command.help = std::move(help);
    return command;
  }

  static void finish(Command& command, bool is_experiment) {
    if (is_experiment) command.flags.add(*command.app, *command.experiment->parameters);
    const bool has_seed = is_experiment && command.experiment->parameters->find("seed") != nullptr;
    command.options.declare(command.option_list, has_seed || is_experiment);
    command.flags.add(*command.app, command.option_list);
  }

  std::vector<CommandHelp> helps() const {
    std::vector<CommandHelp> out;
    for (const Command& command : commands_) out.push_back(command.help);
    return out;
  }

  void refuse_extras(const std::vector<std::string>& extras, const Command* command) const {
    std::vector<Mistake> mistakes;
    std::vector<std::string> names;
    for (const Command& each : commands_) names.push_back(each.help.name);
    for (const std::string& extra : extras) {
      const std::string given = printable(extra);
      if (command != nullptr && extra.starts_with('-')) {
        const std::string flag = extra.substr(0, extra.find('='));
        mistakes.push_back({given, fmt::format("unknown flag of {}", command->help.name),
                            suggest(flag, command->flags.names())});
      } else if (command != nullptr) {
        mistakes.push_back({given, fmt::format("{} takes no such argument", command->help.name),
                            "see `attnlab " + command->help.name + " --help`"});
      } else {
        mistakes.push_back({given, extra.starts_with('-') ? "unknown flag" : "unknown command",
                            suggest(extra, names)});
      }
    }
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
  }

  CLI::App app_;
  std::deque<Command> commands_;  // a deque: CLI11 keeps references into them
  bool wants_help_ = false, wants_version_ = false;
  ColorChoice color_ = ColorChoice::kAuto;
};

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments) {
  ColorChoice color = ColorChoice::kAuto;
  try {
    CommandLine command_line;
    try {
      return command_line.run(arguments);
    } catch (...) {
      color = command_line.color();
      throw;
    }
  } catch (...) {
    return report_current_error(wants_color(color, stderr_is_terminal()));
  }
}

}  // namespace attnlab
