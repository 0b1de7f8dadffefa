#include "base/parameter_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr std::size_t kMostItems = 1'000'000;

struct Suffix {
  std::string_view text;
  double factor;
};
constexpr Suffix kSizes[] = {{"", 1},
                             {"B", 1},
                             {"KiB", 1024},
                             {"MiB", 1048576},
                             {"kB", 1e3},
                             {"KB", 1e3},
                             {"MB", 1e6},
                             {"GB", 1e9},
                             {"TB", 1e12},
                             {"K", 1024},
                             {"M", 1048576},
                             {"G", 1073741824},
                             {"T", 1099511627776.0},
                             {"GiB", 1073741824},
                             {"TiB", 1099511627776.0}};
constexpr Suffix kDurations[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                 {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9},
                                 {"min", 60},  {"m", 60},    {"h", 3600}};

bool is_whole(const Json& item) {
  if (item.is_number_integer()) return true;
  return item.is_number_float() && item.get<double>() == std::floor(item.get<double>());
}

bool fits_int64(const Json& item) {
  if (item.is_number_unsigned()) return item.get<std::uint64_t>() < (std::uint64_t{1} << 63);
  if (item.is_number_integer()) return true;
  const double value = item.get<double>();
  return value >= -kTwo63 && value < kTwo63;
}

bool is_whole_kind(ValueKind kind) {
  return kind == ValueKind::kInteger || kind == ValueKind::kSize;
}

std::string range_problem(const Json& item, const ValueRules& rules) {
  const double value = item.get<double>();
  const bool too_low = rules.lowest_excluded ? value <= rules.lowest : value < rules.lowest;
  if (too_low || (rules.lowest_excluded && value == rules.lowest)) {
    return fmt::format("{} is too small", shown(item));
  }
  if (value > rules.highest) return fmt::format("{} is too large", shown(item));
  if (is_whole_kind(rules.kind) && !fits_int64(item)) {
    return fmt::format("{} is out of range", shown(item));
  }
  return "";
}

template <std::size_t N>
Json value_with_suffix(std::string_view text, const Suffix (&suffixes)[N], bool is_whole_number) {
  const std::size_t digits_end = text.find_last_of("0123456789.") + 1;  // npos + 1 is 0
  const auto number = number_from_text(text.substr(0, digits_end));
  for (const Suffix& suffix : suffixes) {
    if (!number || text.substr(digits_end) != suffix.text) continue;
    const double value = *number * suffix.factor;
    if (!is_whole_number) return ParameterType<double>::to(value);
    if (value == std::floor(value) && std::abs(value) < kTwo63) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::string(text);
}

std::string names_and_range(const ValueRules& rules) {
  std::string range;
  const bool has_low = std::isfinite(rules.lowest), has_high = std::isfinite(rules.highest);
  if (has_low && has_high) {
    range = fmt::format(" {} {} {} {}", rules.lowest_excluded ? "above" : "from",
                        number_text(rules.lowest), rules.lowest_excluded ? "and up to" : "to",
                        number_text(rules.highest));
  } else if (has_low) {
    range = rules.lowest_excluded ? fmt::format(" above {}", number_text(rules.lowest))
                                  : fmt::format(", {} or more", number_text(rules.lowest));
  } else if (has_high) {
    range = fmt::format(", at most {}", number_text(rules.highest));
  }
  return range;
}

// "64:8192:x2", "16:256:+16", "1:5": the values, both ends included where the step meets them.
std::string expand_range(const std::string& text, const ValueRules& rules,
                         std::vector<Json>& items) {
  const std::vector<std::string> parts = split(text, ':');
  const auto bad = [&](std::string_view why) { return fmt::format("{}: {}", shown(text), why); };
  const auto number = [](std::string_view part) { return number_from_text(part); };
  const auto first = number(parts[0]);
  const auto last = parts.size() > 1 ? number(parts[1]) : std::nullopt;
  if (parts.size() > 3 || !first || !last) return bad("is no range; write 64:1024:x2 or 16:64:+16");
  const std::string step_text = parts.size() == 3 ? parts[2] : "+1";
  const bool is_factor = step_text.starts_with('x');
  const auto step = step_text.empty() ? std::nullopt : number(step_text.substr(1));
  if (!step || (!is_factor && !step_text.starts_with('+'))) {
    return bad("a range steps by x2 (times two) or +16 (plus sixteen)");
  }
  if (*first > *last) return bad("the range ends before it begins");
  if (is_factor && (*step <= 1 || *first <= 0)) {
    return bad("a factor must be above 1 and the range begin above 0");
  }
  if (!is_factor && *step <= 0) return bad("the step must be above 0");
  const std::size_t before = items.size();
  for (std::size_t i = 0;; ++i) {
    const auto count = static_cast<double>(i);
    double value = is_factor ? *first * std::pow(*step, count) : *first + *step * count;
    // A hair of tolerance, so that 0:1:+0.1 ends with 1.
    if (value > *last + (is_factor ? 1e-9 * *last : 1e-9 * *step)) return "";
    if (items.size() - before >= kMostItems) return bad("the range has over a million values");
    if (is_whole_kind(rules.kind)) value = std::round(value);
    Json item = ParameterType<double>::to(value);
    if (items.size() == before || items.back() != item) items.push_back(std::move(item));
  }
}

}  // namespace

Json ParameterType<double>::to(double value) {
  if (value == std::floor(value) && std::abs(value) < 9007199254740992.0) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json value_of_text(std::string_view text, const ValueRules& rules) {
  switch (rules.kind) {
    case ValueKind::kBoolean:
      if (text == "true" || text == "false") return text == "true";
      return std::string(text);
    case ValueKind::kSize:
      return value_with_suffix(text, kSizes, true);
    case ValueKind::kDuration:
      return value_with_suffix(text, kDurations, false);
    case ValueKind::kInteger:
    case ValueKind::kReal:
      if (const auto whole = integer_from_text(text)) return *whole;
      if (const auto number = number_from_text(text)) return *number;
      return std::string(text);
    case ValueKind::kText:
    case ValueKind::kChoice:
      break;
  }
  return std::string(text);
}

Json value_of_json(const Json& item, const ValueRules& rules) {
  const bool may_be_text = rules.kind == ValueKind::kSize || rules.kind == ValueKind::kDuration;
  return may_be_text && item.is_string() ? value_of_text(item.get<std::string>(), rules) : item;
}

std::string problem_with(const Json& item, const ValueRules& rules) {
  if (item.is_string() && rules.kind != ValueKind::kText) {
    const auto text = item.get<std::string>();
    if (std::find(rules.words.begin(), rules.words.end(), text) != rules.words.end()) return "";
    const std::string near = nearest(text, rules.words);
    if (!near.empty()) return fmt::format("{} is unknown; did you mean {}?", shown(item), near);
  }
  switch (rules.kind) {
    case ValueKind::kBoolean:
      return item.is_boolean() ? "" : fmt::format("{} is neither true nor false", shown(item));
    case ValueKind::kInteger:
    case ValueKind::kSize:
      if (!item.is_number()) break;
      if (!is_whole(item)) return fmt::format("{} is not a whole number", shown(item));
      return range_problem(item, rules);
    case ValueKind::kReal:
    case ValueKind::kDuration:
      if (!item.is_number()) break;
      return range_problem(item, rules);
    case ValueKind::kText:
      return item.is_string() ? "" : fmt::format("{} is not a text", shown(item));
    case ValueKind::kChoice:
      return fmt::format("{} is unknown", shown(item));
  }
  return fmt::format("{} is not {}", shown(item), allowed_values(rules, false));
}

std::string allowed_values(const ValueRules& rules, bool is_list) {
  std::string out;
  switch (rules.kind) {
    case ValueKind::kBoolean:
      out = "true or false";
      break;
    case ValueKind::kInteger:
      out = "a whole number" + names_and_range(rules);
      break;
    case ValueKind::kReal:
      out = "a number" + names_and_range(rules);
      break;
    case ValueKind::kSize:
      out = "a size in bytes such as 512MiB";
      break;
    case ValueKind::kDuration:
      out = "a duration such as 10ms or 2min, or seconds" + names_and_range(rules);
      break;
    case ValueKind::kText:
      out = "a text";
      break;
    case ValueKind::kChoice:
      out = "one of";
      break;
  }
  std::vector<std::string> words = rules.words;
  if (rules.unset) words.push_back(*rules.unset);
  if (!words.empty()) {
    out += (rules.kind == ValueKind::kChoice ? " " : ", or ") + join(words, ", ");
  }
  return out + (is_list ? "; or a list" : "");
}

Json schema_of(const ValueRules& rules, bool is_list) {
  Json value;
  switch (rules.kind) {
    case ValueKind::kBoolean:
      value["type"] = "boolean";
      break;
    case ValueKind::kInteger:
      value["type"] = "integer";
      break;
    case ValueKind::kReal:
      value["type"] = "number";
      break;
    case ValueKind::kSize:
      value["type"] = Json::array({"integer", "string"});
      break;
    case ValueKind::kDuration:
      value["type"] = Json::array({"number", "string"});
      break;
    case ValueKind::kText:
      value["type"] = "string";
      break;
    case ValueKind::kChoice:
      value["enum"] = rules.words;
      break;
  }
  if (std::isfinite(rules.lowest)) {
    value[rules.lowest_excluded ? "exclusiveMinimum" : "minimum"] =
        ParameterType<double>::to(rules.lowest);
  }
  if (std::isfinite(rules.highest)) value["maximum"] = ParameterType<double>::to(rules.highest);
  const bool is_number = rules.kind == ValueKind::kInteger || rules.kind == ValueKind::kReal;
  Json any = Json::array({value});
  if (rules.kind != ValueKind::kChoice && !rules.words.empty())
    any.push_back({{"enum", rules.words}});
  if (rules.unset) any.push_back({{"enum", {*rules.unset, nullptr}}});
  Json range = {{"type", "string"}, {"pattern", "^[^:]+:[^:]+(:[x+][^:]+)?$"}};
  if (is_list) {
    Json items = any;
    if (is_number) items.push_back(range);
    any = items;
    any.push_back({{"type", "array"}, {"minItems", 1}, {"items", {{"anyOf", items}}}});
  }
  return any.size() == 1 ? any[0] : Json{{"anyOf", any}};
}

std::vector<ValueProblem> expand_list(const Json& value, const ValueRules& rules,
                                      std::vector<Json>& items) {
  const bool is_number = rules.kind == ValueKind::kInteger || rules.kind == ValueKind::kReal;
  const auto add = [&](const Json& given) -> std::string {
    const std::size_t before = items.size();
    if (is_number && given.is_string() && given.get<std::string>().find(':') != std::string::npos) {
      std::string problem = expand_range(given.get<std::string>(), rules, items);
      if (!problem.empty()) return problem;
    } else {
      items.push_back(value_of_json(given, rules));
    }
    if (items.size() > kMostItems) return "the list has over a million values";
    for (std::size_t i = before; i < items.size(); ++i) {
      std::string problem = problem_with(items[i], rules);
      if (!problem.empty()) return problem;
    }
    return "";
  };
  std::vector<ValueProblem> problems;
  if (!value.is_array()) {
    std::string problem = add(value);
    if (!problem.empty()) problems.push_back({std::move(problem)});
  } else if (value.empty()) {
    problems.push_back({"an empty list"});
  }
  constexpr std::size_t kMostProblems = 20;  // of one list: more only hide what comes after
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
    std::string problem = add(value[i]);
    if (!problem.empty()) problems.push_back({std::move(problem), i});
    if (items.size() > kMostItems || problems.size() == kMostProblems) break;
  }
  return problems;
}

}  // namespace attnlab
