// Help texts, made from the declarations of commands and parameters.
#ifndef ATTNLAB_APP_HELP_H_
#define ATTNLAB_APP_HELP_H_

#include <cstddef>
#include <string>
#include <vector>

#include "app/command.h"

namespace attnlab {

// What `attnlab` alone says.
std::string overview(const Commands& commands, std::size_t width);

// What `attnlab COMMAND --help` says: the parameters under their groups' headings.
std::string command_help(Command& command, std::size_t width);

// "CONFIG...", "[configs|results]": the positional arguments as usage shows them; "" for none.
std::string usage_of(const std::vector<Positional>& positionals);

}  // namespace attnlab

#endif  // ATTNLAB_APP_HELP_H_
