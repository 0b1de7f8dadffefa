#include <fmt/format.h>

#include "app/completion.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::string_view kStart =
    R"sh(# Completion of attnlab for bash. For this shell:  source <(attnlab completion bash)
# For every shell: write it to ~/.local/share/bash-completion/completions/attnlab

_attnlab() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  # --law=normal comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local flags= values= positionals= kind=none positional_kind=words
)sh";

constexpr std::string_view kEnd = R"sh(
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
    return
  fi
  if [[ $kind == none && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
    return
  fi
  [[ $kind == none ]] && kind=$positional_kind values=$positionals
  case $kind in
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    list)
      local before=
      [[ $cur == *,* ]] && before=${cur%,*},
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "${cur##*,}")
      ;;
    words)
      mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
      ;;
  esac
}
complete -F _attnlab attnlab
)sh";

std::string kind_of(const CompletionFlag& flag) {
  if (flag.is_file) return "file";
  return flag.is_list ? "list" : "words";
}

std::string flags_case(const CompletionCommand& command) {
  std::vector<std::string> names;
  for (const CompletionFlag& flag : command.flags) names.push_back(flag.name);
  std::string out = fmt::format("    {})\n      flags='{}'\n", command.name, join(names, " "));
  if (!command.positionals.empty()) {
    const Positional& positional = command.positionals.front();
    out += fmt::format("      positional_kind={} positionals='{}'\n",
                       positional.file ? "file" : "words", join(positional.words, " "));
  }
  out += "      case $flag in\n";
  for (const CompletionFlag& flag : command.flags) {
    if (!flag.takes_value) continue;
    const std::string letter = flag.letter.empty() ? "" : "|-" + flag.letter;
    out += fmt::format("        {}{}) kind={} values='{}' ;;\n", flag.name, letter, kind_of(flag),
                       join(flag.words, " "));
  }
  return out + "      esac\n      ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<CompletionCommand>& commands) {
  std::vector<std::string> names{"help"};
  std::string cases;
  for (const CompletionCommand& command : commands) {
    names.push_back(command.name);
    cases += flags_case(command);
  }
  return std::string(kStart) +
         fmt::format("  local commands='{}'\n  case $command in\n{}", join(names, " "), cases) +
         "    help) positionals=$commands ;;\n  esac" + std::string(kEnd);
}

}  // namespace attnlab
