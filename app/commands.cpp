// The list of commands.
#include "app/command.h"
#include "experiments/registry.h"

namespace attnlab {

std::unique_ptr<Command> make_experiment_command(const ExperimentInfo& info);
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_plot_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_describe_command();
std::unique_ptr<Command> make_machine_command();
std::unique_ptr<Command> make_schema_command();
std::unique_ptr<Command> make_completion_command();

Commands make_commands() {
  Commands out;
  for (const ExperimentInfo& info : experiments()) out.push_back(make_experiment_command(info));
  out.push_back(make_run_command());
  out.push_back(make_compare_command());
  out.push_back(make_plot_command());
  out.push_back(make_report_command());
  out.push_back(make_list_command());
  out.push_back(make_describe_command());
  out.push_back(make_machine_command());
  out.push_back(make_schema_command());
  out.push_back(make_completion_command());
  return out;
}

}  // namespace attnlab
