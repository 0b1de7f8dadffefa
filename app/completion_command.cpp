// `attnlab completion SHELL`: a script that teaches the shell attnlab's commands and flags.
#include "app/completion.h"

namespace attnlab {
namespace {

class CompletionCommandLine : public Command {
 public:
  CompletionCommandLine()
      : Command({.name = "completion",
                 .summary = "a script that teaches bash, zsh or fish to complete",
                 .positionals = {{.name = "SHELL", .words = {"bash", "zsh", "fish"}}},
                 .examples = {"attnlab completion bash"}}) {}

  ExitCode run(const Arguments& arguments, const std::vector<std::string>&,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    const std::vector<CompletionCommand> all = completions(make_commands());
    const std::string& shell = arguments.positionals[0];
    write_stdout(shell == "bash"  ? bash_completion(all)
                 : shell == "zsh" ? zsh_completion(all)
                                  : fish_completion(all));
    return ExitCode::kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommandLine>();
}

}  // namespace attnlab
