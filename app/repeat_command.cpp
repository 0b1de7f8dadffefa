#include "app/repeat_command.h"

#include <vector>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      out += "'\\''";
    } else {
      out += letter;
    }
  }
  return out + "'";
}

std::string flag_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const Json& item : value) parts.push_back(flag_text(item));
  return join(parts, ",");
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quoted(word);
  return out;
}

std::string repeat_command(const PlannedExperiment& planned) {
  std::vector<std::string> words{"attnlab", std::string(planned.info->name)};
  for (const Parameter& parameter : planned.parameters->all()) {
    const Json value = parameter.value();
    if (value == parameter.default_value() || value.is_null()) continue;
    if (value.is_boolean()) {
      words.push_back(parameter.flag() + (value.get<bool>() ? "" : "=false"));
      continue;
    }
    const std::string text = flag_text(value);
    if (text.starts_with('-')) {
      words.push_back(parameter.flag() + "=" + text);
    } else {
      words.push_back(parameter.flag());
      words.push_back(text);
    }
  }
  return shell_line(words);
}

}  // namespace attnlab
