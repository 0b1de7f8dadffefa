// `attnlab run CONFIG...`: any number of experiments from JSON files; a flag that names a parameter
// replaces it in every experiment that has it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/command.h"
#include "app/plan.h"
#include "app/session.h"
#include "experiments/registry.h"

namespace attnlab {
namespace {

// The experiments of several configs as one plan.
Plan read_plans(const std::vector<std::string>& files, std::vector<Mistake>& mistakes) {
  Plan all;
  for (const std::string& file : files) {
    try {
      Plan plan = read_plan(read_json_file(file), file + ":", mistakes);
      all.name += (all.name.empty() ? "" : "+") + plan.name;
      std::move(plan.experiments.begin(), plan.experiments.end(),
                std::back_inserter(all.experiments));
    } catch (const UserError& error) {  // the other files are still read for their mistakes
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  return all;
}

class RunCommand : public Command {
 public:
  RunCommand()
      : Command({.name = "run",
                 .summary = "any number of experiments, from JSON files",
                 .positionals = {{.name = "CONFIG", .repeated = true, .file = true}},
                 .examples = {"attnlab run configs/lesson.json",
                              "attnlab run configs/ci.json --quick --format junit",
                              "attnlab run configs/lesson.json --samples 1000 --dry-run"}}) {
    output_.declare(flags_);
    run_.declare(flags_, nullptr, true);
    for (const ExperimentInfo& info : experiments()) {
      prototypes_.push_back(plan_experiment(info, ""));
    }
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  std::vector<ParameterList*> passed_on() override {
    std::vector<ParameterList*> out;
    for (PlannedExperiment& prototype : prototypes_) out.push_back(prototype.parameters.get());
    return out;
  }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    if (arguments.positionals.empty()) throw UserError(std::move(mistakes));
    Plan plan = read_plans(arguments.positionals, mistakes);
    for (const GivenFlag& flag : arguments.flags) lay_over(flag, plan, mistakes);
    settle_plan(plan, run_.quick, mistakes);
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    return run_session(std::move(plan), output_, run_, line, true);
  }

 private:
  void lay_over(const GivenFlag& flag, Plan& plan, std::vector<Mistake>& mistakes) {
    const bool is_common = flags_.find(flag.parameter->name()) == flag.parameter;
    std::vector<Mistake> found;  // the same for every experiment: one is enough
    bool is_used = is_common;
    for (PlannedExperiment& planned : plan.experiments) {
      Parameter* parameter = planned.parameters->find(flag.parameter->name());
      if (parameter == nullptr) continue;
      is_used = true;
      std::vector<Mistake> here;
      assign_flag(flag, *parameter, here);
      if (!here.empty()) planned.is_readable = false;
      if (found.empty() && !is_common) found = std::move(here);
    }
    mistakes.insert(mistakes.end(), found.begin(), found.end());
    if (!is_used && !plan.experiments.empty()) {
      mistakes.push_back({flag.parameter->flag(), "no experiment of the config has this parameter",
                          "leave it out"});
    }
  }

  OutputFlags output_;
  RunFlags run_;
  ParameterList flags_;
  std::vector<PlannedExperiment> prototypes_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace attnlab
