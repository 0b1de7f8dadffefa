// `attnlab EXPERIMENT`: one experiment with its parameters as flags.
#include <algorithm>
#include <cctype>

#include "app/command.h"
#include "app/figure_output.h"
#include "app/plan.h"
#include "app/session.h"
#include "experiments/figures.h"

namespace attnlab {
namespace {

class ExperimentCommand : public Command {
 public:
  explicit ExperimentCommand(const ExperimentInfo& info)
      : Command({.name = std::string(info.name),
                 .summary = std::string(info.summary),
                 .source = std::string(info.source),
                 .positionals = positionals_of(info),
                 .examples = {info.examples.begin(), info.examples.end()}}),
        planned_(plan_experiment(info, std::string(kFlags))) {
    output_.declare(flags_);
    run_.declare(flags_, planned_.parameters.get(), has_figure(info.name));
  }

  std::vector<ParameterList*> parameters() override { return {planned_.parameters.get(), &flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    take_positional(arguments, mistakes);
    planned_.is_readable = mistakes.empty();
    switch_on_figure(mistakes);
    Plan plan{std::string(planned_.info->name), {}};
    plan.experiments.push_back(std::move(planned_));
    settle_plan(plan, run_.quick, mistakes);
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    return run_session(std::move(plan), output_, run_, line, false);
  }

 private:
  static std::vector<Positional> positionals_of(const ExperimentInfo& info) {
    if (info.positional.empty()) return {};
    std::string name(info.positional);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    return {{.name = std::move(name), .required = false}};
  }

  // What stands without a flag is the value of one.
  void take_positional(const Arguments& arguments, std::vector<Mistake>& mistakes) {
    const std::string_view name = planned_.info->positional;
    if (name.empty() || arguments.positionals.empty()) return;
    Parameter& parameter = *planned_.parameters->find(name);
    if (parameter.given()) {
      mistakes.push_back({parameter.flag(), "is given more than once", "keep one"});
    } else {
      parameter.assign(arguments.positionals.front(), parameter.flag(), mistakes);
    }
  }

  // What a figure needs and costs time is computed when -o names one.
  void switch_on_figure(std::vector<Mistake>& mistakes) {
    const ForFigure& what = planned_.info->for_figure;
    if (what.parameter.empty() || !figure_format_of(output_.output)) return;
    Parameter* const parameter = planned_.parameters->find(what.parameter);
    if (!parameter->given()) parameter->assign(what.value, parameter->flag(), mistakes);
  }

  PlannedExperiment planned_;
  OutputFlags output_;
  RunFlags run_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_experiment_command(const ExperimentInfo& info) {
  return std::make_unique<ExperimentCommand>(info);
}

}  // namespace attnlab
