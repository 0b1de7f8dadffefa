// The one declaration of a parameter. A struct declares each of its fields once, beside the field:
//
//   struct Settings {
//     std::vector<std::int64_t> d{4, 64, 1024};
//     void declare(ParameterList& list) { list.add("d", d, "size of a head").range(1, 1 << 24); }
//   };
//
// Flag, JSON key, default, check, error, help, schema and result column all come from this line.
// The field's value at declaration is the default; a std::vector is an axis of the grid; a
// std::optional may be unset, and then carries the words that say what happens (unset("D/64")).
// A single word may also be given as the value; where it is more than one, "auto" stands for it.
#ifndef ATTNLAB_BASE_PARAMETER_H_
#define ATTNLAB_BASE_PARAMETER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/parameter_type.h"

namespace attnlab {

class Parameter {
 public:
  // ---- the declaration ----
  Parameter& alias(std::string other_name);
  Parameter& unit(std::string text);
  Parameter& group(std::string heading);            // where help shows it; default "parameters"
  Parameter& range(double lowest, double highest);  // both allowed
  Parameter& above(double limit);                   // the limit itself is not allowed
  Parameter& unset(std::string words);              // what happens when the field has no value
  Parameter& quick(std::int64_t divisor, std::int64_t least);  // what --quick makes of it
  // Only where that field is true: elsewhere the parameter changes nothing.
  Parameter& quick_if(const bool& field);
  Parameter& one_of(std::vector<std::string> words);  // of a text: all that is allowed
  Parameter& file();                                  // its text names a file (for completion)

  // ---- what it says ----
  const std::string& name() const { return name_; }
  std::string flag() const;  // "--head-dim" of head_dim
  const std::vector<std::string>& aliases() const { return aliases_; }
  const std::string& help() const { return help_; }
  const std::string& unit() const { return unit_; }
  const std::string& group() const { return group_; }
  const Json& default_value() const { return default_; }
  std::string default_text() const;  // for people: "4,64,1024", "heads x head_dim, or 768"
  const ValueRules& rules() const { return rules_; }
  bool is_list() const { return is_list_; }
  bool is_file() const { return is_file_; }
  std::string allowed() const;  // "a whole number from 1 to 16777216", for errors and help
  Json schema() const;          // its JSON Schema
  Json value() const { return load_(); }
  std::size_t size() const { return size_(); }  // of the list; 1 where it is none
  bool given() const { return given_; }         // by a config or a flag

  // Stores the value, or adds what is wrong with it under `place`; true when it was stored.
  bool assign(const Json& value, const std::string& place, std::vector<Mistake>& mistakes);
  // The JSON value that a flag's text means. Texts that mean none come back as strings.
  Json from_flag(std::string_view text) const;
  // Divides the value as quick() declared; true when that changed it.
  bool make_quick();

 private:
  friend class ParameterList;
  Parameter() = default;

  std::string name_, help_, unit_, group_ = "parameters", unset_text_;
  std::vector<std::string> aliases_;
  ValueRules rules_;
  bool is_list_ = false, is_file_ = false, given_ = false;
  std::int64_t quick_divisor_ = 1, quick_least_ = 1;
  const bool* quick_if_ = nullptr;
  Json default_;
  std::function<Json()> load_;
  std::function<std::size_t()> size_;
  std::function<std::vector<ValueProblem>(const Json&)> store_;
};

class ParameterList {
 public:
  template <class T>
  Parameter& add(std::string name, T& field, std::string help) {
    Parameter& parameter = add_named(std::move(name), std::move(help));
    FieldBinding<T>::describe(parameter.rules_);
    parameter.is_list_ = FieldBinding<T>::kIsList;
    parameter.load_ = [&field, &parameter] {
      return FieldBinding<T>::load(field, parameter.rules_);
    };
    parameter.size_ = [&field] { return FieldBinding<T>::size(field); };
    parameter.store_ = [&field, &parameter](const Json& value) {
      return FieldBinding<T>::store(value, parameter.rules_, field);
    };
    parameter.default_ = parameter.load_();
    return parameter;
  }

  std::deque<Parameter>& all() { return parameters_; }
  const std::deque<Parameter>& all() const { return parameters_; }
  Parameter* find(std::string_view name_or_alias);  // nullptr when unknown
  const Parameter* find(std::string_view name_or_alias) const;
  const Parameter& at(std::string_view name) const;  // our own mistake when unknown
  std::vector<std::string> names() const;

  // Stores every member of a JSON object except those named in `others`. Every mistake is added to
  // `mistakes` under its place: an unknown key, a wrong type, a value out of range, alias and name
  // both.
  void read(const Json& object, const std::string& place, const std::vector<std::string>& others,
            std::vector<Mistake>& mistakes);
  // All values by name: what read() takes to give the same again.
  Json values() const;

 private:
  Parameter& add_named(std::string name, std::string help);
  std::deque<Parameter> parameters_;  // a deque: the bindings keep references
};

}  // namespace attnlab

#endif  // ATTNLAB_BASE_PARAMETER_H_
