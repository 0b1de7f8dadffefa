#include <fmt/format.h>

#include "app/completion.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::string_view kStart = R"sh(#compdef attnlab
# Completion of attnlab for zsh. For this shell (after compinit):  source <(attnlab completion zsh)
# For every shell: write it to a file _attnlab in a folder of $fpath.

_attnlab() {
  local -a commands
)sh";

constexpr std::string_view kMiddle = R"sh(
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
    help) _describe -t commands command commands ;;
)sh";

constexpr std::string_view kEnd = R"sh(  esac
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
  _attnlab "$@"
else
  compdef _attnlab attnlab
fi
)sh";

// Text within single quotes, with a backslash before each character of `special`.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const CompletionFlag& flag) {
  const std::string what = flag.name.substr(2);
  if (flag.is_file) return ":" + what + ":_files";
  if (flag.words.empty()) return ":" + what + ": ";
  if (flag.is_list) return fmt::format(":{}:_values -s , {} {}", what, what, join(flag.words, " "));
  return fmt::format(":{}:({})", what, join(flag.words, " "));
}

std::string command_case(const CompletionCommand& command) {
  std::string out = fmt::format("    {})\n      _arguments", command.name);
  for (const CompletionFlag& flag : command.flags) {
    const std::string help = escaped(flag.help, "[]\\:");
    const std::string action = flag.takes_value ? escaped(action_of(flag), "") : "";
    const std::string many = flag.is_list ? "*" : "";
    out += fmt::format(" \\\n        '{}{}{}[{}]{}'", many, flag.name, flag.takes_value ? "=" : "",
                       help, action);
    if (!flag.letter.empty()) {
      out += fmt::format(" \\\n        '-{}[{}]{}'", flag.letter, help, action);
    }
  }
  int place = 0;
  for (const Positional& positional : command.positionals) {
    const std::string words = positional.file            ? "_files"
                              : positional.words.empty() ? " "
                                                         : "(" + join(positional.words, " ") + ")";
    out +=
        fmt::format(" \\\n        '{}:{}:{}'", positional.repeated ? "*" : std::to_string(++place),
                    positional.file ? "file" : "name", words);
  }
  return out + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CompletionCommand>& commands) {
  std::string names = "  commands=(\n    'help:what a command does'\n", cases;
  for (const CompletionCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary, ":\\"));
    cases += command_case(command);
  }
  return std::string(kStart) + names + "  )" + std::string(kMiddle) + cases + std::string(kEnd);
}

}  // namespace attnlab
