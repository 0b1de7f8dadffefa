#include <fmt/format.h>

#include "app/completion.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::string_view kStart =
    R"sh(# Completion of attnlab for fish. For this shell:  attnlab completion fish | source
# For every shell: write it to ~/.config/fish/completions/attnlab.fish

function __attnlab_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end

function __attnlab_has_no_command
    test (count (commandline -opc)) -eq 1
end

complete -c attnlab -f
)sh";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string values_of(const CompletionFlag& flag) {
  if (!flag.takes_value) return "";
  if (flag.is_file) return " -r -F";
  if (flag.words.empty()) return " -x";
  const std::string words = join(flag.words, " ");
  return " -x -a " + quoted(flag.is_list ? "(__fish_append , " + words + ")" : words);
}

}  // namespace

std::string fish_completion(const std::vector<CompletionCommand>& commands) {
  std::string out(kStart);
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands) {
    names.push_back(command.name);
    out += fmt::format("complete -c attnlab -n __attnlab_has_no_command -a {} -d {}\n",
                       command.name, quoted(command.summary));
  }
  out +=
      "complete -c attnlab -n __attnlab_has_no_command -a help -d 'what a command does'\n"
      "complete -c attnlab -n '__attnlab_is help' -a " +
      quoted(join(names, " ")) + "\n";
  for (const CompletionCommand& command : commands) {
    const std::string condition =
        fmt::format("complete -c attnlab -n '__attnlab_is {}'", command.name);
    for (const CompletionFlag& flag : command.flags) {
      out += fmt::format("{} -l {}{}{} -d {}\n", condition, flag.name.substr(2),
                         flag.letter.empty() ? "" : " -s " + flag.letter, values_of(flag),
                         quoted(flag.help));
    }
    for (const Positional& positional : command.positionals) {
      out += condition +
             (positional.file ? " -F\n" : " -a " + quoted(join(positional.words, " ")) + "\n");
    }
  }
  return out;
}

}  // namespace attnlab
