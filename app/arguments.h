// What a command line says, before any of it is believed: flags with their texts, and the rest.
#ifndef ATTNLAB_APP_ARGUMENTS_H_
#define ATTNLAB_APP_ARGUMENTS_H_

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/parameter.h"

namespace attnlab {

// A flag that was given, with the text of every time it was.
struct GivenFlag {
  Parameter* parameter;
  std::vector<std::string> texts;
};

struct Arguments {
  std::vector<std::string> positionals;
  std::vector<GivenFlag> flags;
  bool wants_help = false, wants_version = false;
};

// Reads the arguments that follow a command. A flag is looked for in the lists in their order, by
// `--name value`, `--name=value` or `-x value` (an alias of one letter); a boolean takes a value
// only after '='; after `--` nothing is a flag. Unknown flags and missing values are mistakes.
Arguments parse_arguments(std::span<const std::string> texts,
                          const std::vector<ParameterList*>& lists, const std::string& command,
                          std::vector<Mistake>& mistakes);

// Stores what a flag says in a parameter of its name; a list given several times is one list.
void assign_flag(const GivenFlag& flag, Parameter& parameter, std::vector<Mistake>& mistakes);

// "--head-dim", or "-o" for an alias of one letter.
std::string flag_of_alias(const std::string& alias);

}  // namespace attnlab

#endif  // ATTNLAB_APP_ARGUMENTS_H_
