// Help texts, made from the declarations of parameters and experiments.
#ifndef ATTNLAB_APP_HELP_H_
#define ATTNLAB_APP_HELP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.h"

namespace attnlab {

struct CommandHelp {
  std::string name;
  std::string arguments;  // positional ones, as usage shows them: "CONFIG..."
  std::string summary;
  std::string source;
  std::vector<std::string_view> examples;
};

// What `attnlab` alone says.
std::string overview(const std::vector<CommandHelp>& commands, std::size_t width);

// What `attnlab COMMAND --help` says; each list's parameters under their groups' headings.
std::string command_help(const CommandHelp& command, const std::vector<const ParameterList*>& lists,
                         std::size_t width);

}  // namespace attnlab

#endif  // ATTNLAB_APP_HELP_H_
