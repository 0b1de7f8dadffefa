#include "app/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace attnlab {
namespace {

bool is_size_letter(const std::string& alias) {
  return alias.size() == 1 && alias[0] >= 'A' && alias[0] <= 'Z';
}

Parameter* find_flag(const std::vector<ParameterList*>& lists, const std::string& flag) {
  for (ParameterList* list : lists) {
    for (Parameter& parameter : list->all()) {
      if (parameter.flag() == flag) return &parameter;
      for (const std::string& alias : parameter.aliases()) {
        if (flag_of_alias(alias) == flag) return &parameter;
        // A size of the field, such as D, is no short form: --D is its flag too.
        if (is_size_letter(alias) && flag == "--" + alias) return &parameter;
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

// What CLI11 stores for a flag without its value; no text of a command line holds a NUL.
const std::string kMissing(1, '\0');

// What CLI11 2 reads otherwise: an alias of one letter becomes its long flag (the letter would be
// found in "-output" too), "-.5" is a number, and "--flag=" has a value, which is empty.
void add_canonical(const std::string& text, const std::vector<ParameterList*>& lists,
                   std::vector<std::string>& line) {
  const std::size_t equals = std::min(text.find('='), text.size());
  std::string flag = text.substr(0, equals), value = text.substr(equals);
  if (looks_negative(text) && text[1] == '.') {
    flag.insert(1, "0");
  } else if (looks_like_flag(text) && (text[1] != '-' || flag.size() == 3)) {
    if (const Parameter* parameter = find_flag(lists, flag)) flag = parameter->flag();
  }
  if (!looks_like_flag(text) || value != "=") {
    line.push_back(flag + value);
  } else {
    line.insert(line.end(), {flag, ""});
  }
}

using Options = std::vector<std::pair<const CLI::Option*, Parameter*>>;

Options add_options(CLI::App& app, const std::vector<ParameterList*>& lists, Arguments& out) {
  Options options;
  app.allow_extras();     // unknown flags are mistakes like others, found all at once
  app.set_help_flag("");  // asking for help is no error here
  app.add_flag("-h,--help", out.wants_help);
  app.add_flag("--version", out.wants_version);
  for (ParameterList* list : lists) {
    for (Parameter& parameter : list->all()) {
      if (app.get_option_no_throw(parameter.flag()) != nullptr) continue;  // the first list's
      std::string names = parameter.flag();
      for (const std::string& alias : parameter.aliases()) {
        if (alias.size() > 1) names += "," + flag_of_alias(alias);
      }
      CLI::Option* option =
          is_switch(parameter) ? app.add_flag(names) : app.add_option(names)->expected(0, 1);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      if (!is_switch(parameter)) option->default_str(kMissing);
      options.emplace_back(option, &parameter);
    }
  }
  return options;
}

// The flags in the order of the line, each with all its texts; one without a value is a mistake.
std::vector<GivenFlag> given_flags(const CLI::App& app, const Options& options,
                                   std::vector<Mistake>& mistakes) {
  std::vector<GivenFlag> out;
  for (const CLI::Option* option : app.parse_order()) {
    const auto known = std::find_if(options.begin(), options.end(),
                                    [&](const auto& entry) { return entry.first == option; });
    if (known == options.end()) continue;  // help or version
    Parameter* parameter = known->second;
    if (std::any_of(out.begin(), out.end(),
                    [&](const GivenFlag& flag) { return flag.parameter == parameter; })) {
      continue;
    }
    GivenFlag flag{parameter, option->results()};
    if (std::erase(flag.texts, kMissing) != 0) {
      mistakes.push_back({parameter->flag(), "needs a value", "allowed: " + parameter->allowed()});
    }
    if (!flag.texts.empty()) out.push_back(std::move(flag));
  }
  return out;
}

// Of what CLI11 could not place, unknown flags are mistakes and the rest are positionals.
std::vector<std::string> positionals_of(const std::vector<std::string>& texts,
                                        const std::vector<ParameterList*>& lists,
                                        const std::string& command,
                                        std::vector<Mistake>& mistakes) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!looks_like_flag(texts[i])) {
      out.push_back(texts[i]);
      continue;
    }
    const std::vector<std::string> known = known_flags(lists);
    const std::size_t equals = texts[i].find('=');
    const std::string flag = texts[i].substr(0, equals);
    mistakes.push_back(
        {printable(flag), fmt::format("unknown flag of {}", command), suggest(flag, known)});
    // What follows is its value if that of the flag that was meant would be one.
    const Parameter* meant = find_flag(lists, nearest(flag, known));
    const bool takes_value =
        equals == std::string::npos && (meant == nullptr || !is_switch(*meant));
    if (takes_value && i + 1 < texts.size() && !looks_like_flag(texts[i + 1])) ++i;
  }
  return out;
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
  CLI::App app;
  const Options options = add_options(app, lists, out);
  // CLI11 takes away a "--" that follows a flag's value, so it is not shown one.
  const auto end = std::find(texts.begin(), texts.end(), "--");
  std::vector<std::string> line;
  for (auto text = texts.begin(); text != end; ++text) add_canonical(*text, lists, line);
  std::reverse(line.begin(), line.end());  // it reads from the back
  app.parse(std::move(line));
  out.positionals = positionals_of(app.remaining(), lists, command, mistakes);
  if (end != texts.end()) out.positionals.insert(out.positionals.end(), end + 1, texts.end());
  out.flags = given_flags(app, options, mistakes);
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
