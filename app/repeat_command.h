// The command lines that give a result, or one experiment of it, again.
#ifndef ATTNLAB_APP_REPEAT_COMMAND_H_
#define ATTNLAB_APP_REPEAT_COMMAND_H_

#include <span>
#include <string>

#include "app/plan.h"

namespace attnlab {

// The words as a line for a POSIX shell, quoted where that is needed.
std::string shell_line(std::span<const std::string> words);

// `attnlab EXPERIMENT` with a flag for every parameter that is not at its default.
std::string repeat_command(const PlannedExperiment& planned);

}  // namespace attnlab

#endif  // ATTNLAB_APP_REPEAT_COMMAND_H_
