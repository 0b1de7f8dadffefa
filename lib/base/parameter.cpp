#include "base/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace attnlab {

Parameter& Parameter::alias(std::string other_name) {
  aliases_.push_back(std::move(other_name));
  return *this;
}

Parameter& Parameter::unit(std::string text) {
  unit_ = std::move(text);
  return *this;
}

Parameter& Parameter::group(std::string heading) {
  group_ = std::move(heading);
  return *this;
}

Parameter& Parameter::range(double lowest, double highest) {
  rules_.lowest = lowest;
  rules_.highest = highest;
  return *this;
}

Parameter& Parameter::above(double limit) {
  rules_.lowest = limit;
  rules_.lowest_excluded = true;
  return *this;
}

Parameter& Parameter::unset(std::string words) {
  ATTNLAB_CHECK(rules_.unset);  // the field must be a std::optional
  unset_text_ = std::move(words);
  rules_.unset = unset_text_.find(' ') == std::string::npos ? unset_text_ : "auto";
  default_ = load_();
  return *this;
}

Parameter& Parameter::quick(std::int64_t divisor, std::int64_t least) {
  quick_divisor_ = divisor;
  quick_least_ = least;
  return *this;
}

Parameter& Parameter::quick_if(const bool& field) {
  quick_if_ = &field;
  return *this;
}

Parameter& Parameter::one_of(std::vector<std::string> words) {
  rules_.kind = ValueKind::kChoice;
  rules_.words = std::move(words);
  return *this;
}

Parameter& Parameter::file() {
  is_file_ = true;
  return *this;
}

std::string Parameter::flag() const {
  std::string out = "--" + name_;
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string Parameter::default_text() const {
  if (rules_.unset && default_ == Json(*rules_.unset)) {
    return unset_text_.empty() ? *rules_.unset : unset_text_;
  }
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  if (!default_.is_array()) return text(default_);
  std::vector<std::string> items;
  for (const Json& item : default_) items.push_back(text(item));
  return join(items, ",");
}

std::string Parameter::allowed() const { return allowed_values(rules_, is_list_); }

Json Parameter::schema() const {
  Json out = schema_of(rules_, is_list_);
  out["description"] = help_ + (unit_.empty() ? "" : " [" + unit_ + "]");
  out["default"] = default_;
  return out;
}

bool Parameter::assign(const Json& value, const std::string& place,
                       std::vector<Mistake>& mistakes) {
  if (is_file_ && value == Json("")) {
    mistakes.push_back({place, "\"\" names no file", "give the name of one, or leave it out"});
    return false;
  }
  const std::vector<ValueProblem> problems = store_(value);
  const bool is_flag = place.starts_with(kFlags);  // the items of a flag have no number to see
  for (const ValueProblem& problem : problems) {
    const bool numbered = problem.index && !is_flag;
    mistakes.push_back({numbered ? child_place(place, *problem.index) : place, problem.text,
                        "allowed: " + allowed()});
  }
  if (problems.empty()) given_ = true;
  return problems.empty();
}

Json Parameter::from_flag(std::string_view text) const {
  if (!is_list_) return value_of_text(text, rules_);
  Json out = Json::array();
  for (const std::string& piece : split(text, ',')) out.push_back(value_of_text(piece, rules_));
  return out;
}

bool Parameter::make_quick() {
  if (quick_if_ != nullptr && !*quick_if_) return false;
  if (quick_divisor_ == 1 || !load_().is_number_integer()) return false;
  const auto old = load_().get<std::int64_t>();
  const std::int64_t reduced = std::max(quick_least_, old / quick_divisor_);
  if (reduced >= old) return false;
  ATTNLAB_CHECK(store_(reduced).empty());
  return true;
}

Parameter& ParameterList::add_named(std::string name, std::string help) {
  ATTNLAB_CHECK(find(name) == nullptr);
  parameters_.push_back(Parameter());
  parameters_.back().name_ = std::move(name);
  parameters_.back().help_ = std::move(help);
  return parameters_.back();
}

const Parameter* ParameterList::find(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    const auto& aliases = parameter.aliases();
    if (parameter.name() == name ||
        std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return &parameter;
    }
  }
  return nullptr;
}

Parameter* ParameterList::find(std::string_view name) {
  return const_cast<Parameter*>(std::as_const(*this).find(name));
}

const Parameter& ParameterList::at(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.name() == name; });
  ATTNLAB_CHECK(found != parameters_.end());
  return *found;
}

std::vector<std::string> ParameterList::names() const {
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters_) {
    out.push_back(parameter.name());
    out.insert(out.end(), parameter.aliases().begin(), parameter.aliases().end());
  }
  return out;
}

void ParameterList::read(const Json& object, const std::string& place,
                         const std::vector<std::string>& others, std::vector<Mistake>& mistakes) {
  std::vector<const Parameter*> seen;
  for (const auto& [key, value] : object.items()) {
    if (std::find(others.begin(), others.end(), key) != others.end()) continue;
    const std::string here = child_place(place, key);
    Parameter* parameter = find(key);
    if (parameter == nullptr) {
      std::vector<std::string> known = names();
      known.insert(known.end(), others.begin(), others.end());
      mistakes.push_back({here, "unknown key", suggest(key, known)});
      continue;
    }
    if (std::find(seen.begin(), seen.end(), parameter) != seen.end()) {
      mistakes.push_back({here, fmt::format("{} is given twice, by its other name too", key),
                          "keep one of the two"});
      continue;
    }
    seen.push_back(parameter);
    parameter->assign(value, here, mistakes);
  }
}

Json ParameterList::values() const {
  Json out = Json::object();
  for (const Parameter& parameter : parameters_) out[parameter.name()] = parameter.value();
  return out;
}

}  // namespace attnlab
