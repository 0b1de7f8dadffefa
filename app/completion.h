// Shell completion: what there is to complete, and one printer a shell.
#ifndef ATTNLAB_APP_COMPLETION_H_
#define ATTNLAB_APP_COMPLETION_H_

#include <string>
#include <vector>

#include "app/command.h"

namespace attnlab {

struct CompletionFlag {
  std::string name;    // "--law"
  std::string letter;  // "o" of -o; "" for none
  std::string help;
  std::vector<std::string> words;  // values to offer
  bool takes_value = true;
  bool is_list = false;  // values may be joined by commas
  bool is_file = false;
};

struct CompletionCommand {
  std::string name, summary;
  std::vector<CompletionFlag> flags;
  std::vector<Positional> positionals;
};

std::vector<CompletionCommand> completions(const Commands& commands);

// A script that the shell reads.
std::string bash_completion(const std::vector<CompletionCommand>& commands);
std::string zsh_completion(const std::vector<CompletionCommand>& commands);
std::string fish_completion(const std::vector<CompletionCommand>& commands);

}  // namespace attnlab

#endif  // ATTNLAB_APP_COMPLETION_H_
