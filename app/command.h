// A command of the program. A new one is a file with a class and its make function, and one line in
// commands.cpp.
#ifndef ATTNLAB_APP_COMMAND_H_
#define ATTNLAB_APP_COMMAND_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments.h"
#include "app/exit_code.h"
#include "app/streams.h"
#include "base/error.h"
#include "base/parameter.h"

namespace attnlab {

// An argument that is no flag.
struct Positional {
  std::string name;                  // as usage shows it: "CONFIG"
  std::vector<std::string> words{};  // all that is allowed; empty: anything
  bool required = true;
  bool repeated = false;
  bool file = false;
};

struct CommandHelp {
  std::string name;
  std::string summary;  // one line
  std::string source{};
  std::vector<Positional> positionals{};
  std::vector<std::string> examples{};  // command lines that run
};

class Command {
 public:
  explicit Command(CommandHelp help) : help_(std::move(help)) {}
  virtual ~Command() = default;

  const CommandHelp& help() const { return help_; }
  // The flags that it takes; they are assigned before run().
  virtual std::vector<ParameterList*> parameters() { return {}; }
  // Flags that it takes too, but looks at itself.
  virtual std::vector<ParameterList*> passed_on() { return {}; }
  virtual ColorChoice color() const { return ColorChoice::kAuto; }
  // `line` is the whole command line; `mistakes` were found so far. Throws them as UserError,
  // together with what it finds itself.
  virtual ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
                       std::vector<Mistake> mistakes) = 0;

 private:
  CommandHelp help_;
};

using Commands = std::vector<std::unique_ptr<Command>>;

// Every command, in the order in which help lists them.
Commands make_commands();

}  // namespace attnlab

#endif  // ATTNLAB_APP_COMMAND_H_
