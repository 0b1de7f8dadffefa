// The command line: from arguments to a command that runs.
#ifndef ATTNLAB_APP_CLI_H_
#define ATTNLAB_APP_CLI_H_

#include <string>
#include <vector>

#include "app/exit_code.h"

namespace attnlab {

// Runs one command; `arguments` without the program's name. Errors are printed, not thrown.
ExitCode run_command_line(const std::vector<std::string>& arguments);

// Whether the command of these arguments may call BLAS or tells of it.
bool uses_blas(const std::vector<std::string>& arguments);

}  // namespace attnlab

#endif  // ATTNLAB_APP_CLI_H_
