#include "app/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace attnlab {
namespace {

Parameter* find_flag(const std::vector<ParameterList*>& lists, const std::string& flag) {
  for (ParameterList* list : lists) {
    for (Parameter& parameter : list->all()) {
      if (parameter.flag() == flag) return &parameter;
      for (const std::string& alias : parameter.aliases()) {
        if (flag_of_alias(alias) == flag) return &parameter;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> known_flags(const std::vector<ParameterList*>& lists) {
  std::vector<std::string> out{"--help"};
  for (const ParameterList* list : lists) {
    for (const Parameter& parameter : list->all()) {
      if (std::find(out.begin(), out.end(), parameter.flag()) == out.end()) {
        out.push_back(parameter.flag());
      }
    }
  }
  return out;
}

bool is_switch(const Parameter& parameter) { return parameter.rules().kind == ValueKind::kBoolean; }

// "-1", "-.5": a value, not a flag.
bool looks_negative(const std::string& text) {
  return text.size() > 1 && text[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(text[1])) != 0 || text[1] == '.');
}

bool looks_like_flag(const std::string& text) {
  return text.size() > 1 && text[0] == '-' && !looks_negative(text);
}

void add_text(std::vector<GivenFlag>& flags, Parameter* parameter, std::string text) {
  auto given = std::find_if(flags.begin(), flags.end(),
                            [&](const GivenFlag& flag) { return flag.parameter == parameter; });
  if (given == flags.end()) given = flags.insert(given, {parameter, {}});
  given->texts.push_back(std::move(text));
}

}  // namespace

std::string flag_of_alias(const std::string& alias) {
  std::string out = (alias.size() == 1 ? "-" : "--") + alias;
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

Arguments parse_arguments(std::span<const std::string> texts,
                          const std::vector<ParameterList*>& lists, const std::string& command,
                          std::vector<Mistake>& mistakes) {
  Arguments out;
  bool flags_end = false;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const bool has_next = i + 1 < texts.size();
    if (flags_end || !looks_like_flag(text)) {
      out.positionals.push_back(text);
      continue;
    }
    if (text == "--") {
      flags_end = true;
      continue;
    }
    if (text == "--help" || text == "-h") out.wants_help = true;
    if (text == "--version") out.wants_version = true;
    if (text == "--help" || text == "-h" || text == "--version") continue;

    const std::size_t equals = text.find('=');
    const std::string flag = text.substr(0, equals);
    Parameter* parameter = find_flag(lists, flag);
    if (parameter == nullptr) {
      const std::vector<std::string> known = known_flags(lists);
      mistakes.push_back(
          {printable(flag), fmt::format("unknown flag of {}", command), suggest(flag, known)});
      // What follows is its value if that of the flag that was meant would be one.
      const Parameter* meant = find_flag(lists, nearest(flag, known));
      const bool takes_value =
          equals == std::string::npos && (meant == nullptr || !is_switch(*meant));
      if (takes_value && has_next && !looks_like_flag(texts[i + 1])) ++i;
    } else if (equals != std::string::npos) {
      add_text(out.flags, parameter, text.substr(equals + 1));
    } else if (is_switch(*parameter)) {
      add_text(out.flags, parameter, "true");
    } else if (has_next && !looks_like_flag(texts[i + 1])) {
      add_text(out.flags, parameter, texts[++i]);
    } else {
      mistakes.push_back({flag, "needs a value", "allowed: " + parameter->allowed()});
    }
  }
  return out;
}

void assign_flag(const GivenFlag& flag, Parameter& parameter, std::vector<Mistake>& mistakes) {
  if (flag.texts.size() > 1 && !parameter.is_list()) {
    mistakes.push_back({parameter.flag(), "is given more than once", "keep one"});
    return;
  }
  parameter.assign(parameter.from_flag(join(flag.texts, ",")), parameter.flag(), mistakes);
}

}  // namespace attnlab
