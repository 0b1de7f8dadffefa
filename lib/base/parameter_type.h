// How the types that a parameter can have are read from JSON and written to it.
// A module adds a type of its own by an enum with choice_names(), or by specialising ParameterType.
#ifndef ATTNLAB_BASE_PARAMETER_TYPE_H_
#define ATTNLAB_BASE_PARAMETER_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/choice.h"
#include "base/json.h"

namespace attnlab {

enum class ValueKind { kBoolean, kInteger, kReal, kText, kChoice, kSize, kDuration };

// What the values of a parameter may be.
struct ValueRules {
  ValueKind kind = ValueKind::kText;
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_excluded = false;
  std::vector<std::string> words;    // kChoice: all that is allowed; else: allowed beside numbers
  std::optional<std::string> unset;  // the word for no value, if there may be none
};

// "1.5 is not a whole number": what is wrong with one value, "" if nothing.
std::string problem_with(const Json& item, const ValueRules& rules);
// The value of a text that stands for one: "512MiB", "10ms", "1e6", "true"; otherwise the text
// itself.
Json value_of_text(std::string_view text, const ValueRules& rules);
// The same for a value in JSON, where only sizes and durations may stand as text.
Json value_of_json(const Json& item, const ValueRules& rules);
// "a whole number from 1 to 8"
std::string allowed_values(const ValueRules& rules, bool is_list);
Json schema_of(const ValueRules& rules, bool is_list);

// What is wrong with a value: with an item of a list, where there is an index.
struct ValueProblem {
  std::string text;
  std::optional<std::size_t> index{};
};
// The items of a list value: a number, an array of numbers and ranges, or a text such as "1:8:x2".
// Returns what is wrong with which of them.
std::vector<ValueProblem> expand_list(const Json& value, const ValueRules& rules,
                                      std::vector<Json>& items);

// Bytes, printed and read as "512MiB".
struct ByteSize {
  std::int64_t bytes = 0;
};
// Seconds, printed and read as "10ms".
struct Duration {
  double seconds = 0;
};

template <class T>
struct ParameterType;

template <>
struct ParameterType<bool> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kBoolean; }
  static bool from(const Json& item) { return item.get<bool>(); }
  static Json to(bool value) { return value; }
};

template <>
struct ParameterType<std::int64_t> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kInteger; }
  static std::int64_t from(const Json& item) {
    return item.is_number_float() ? static_cast<std::int64_t>(item.get<double>())
                                  : item.get<std::int64_t>();
  }
  static Json to(std::int64_t value) { return value; }
};

template <>
struct ParameterType<double> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kReal; }
  static double from(const Json& item) { return item.get<double>(); }
  static Json to(double value);  // 1.0 as 1: the shortest text that reads back equal
};

template <>
struct ParameterType<std::string> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kText; }
  static std::string from(const Json& item) { return item.get<std::string>(); }
  static Json to(const std::string& value) { return value; }
};

template <>
struct ParameterType<ByteSize> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kSize; }
  static ByteSize from(const Json& item) { return {ParameterType<std::int64_t>::from(item)}; }
  static Json to(ByteSize value) { return value.bytes; }
};

template <>
struct ParameterType<Duration> {
  static void describe(ValueRules& rules) { rules.kind = ValueKind::kDuration; }
  static Duration from(const Json& item) { return {item.get<double>()}; }
  static Json to(Duration value) { return ParameterType<double>::to(value.seconds); }
};

// An enum with choice_names() (base/choice.h).
template <class E>
requires std::is_enum_v<E>
struct ParameterType<E> {
  static void describe(ValueRules& rules) {
    rules.kind = ValueKind::kChoice;
    for (const std::string_view name : choice_names(E{})) rules.words.emplace_back(name);
  }
  static E from(const Json& item) { return *choice_from_name<E>(item.get<std::string>()); }
  static Json to(E value) { return choice_name(value); }
};

// Reads and writes a field: one value, one that may be unset, or a list. store() leaves the field
// as it is when it returns a problem.
template <class T>
struct FieldBinding {
  static constexpr bool kIsList = false;
  static void describe(ValueRules& rules) { ParameterType<T>::describe(rules); }
  static std::size_t size(const T&) { return 1; }
  static Json load(const T& field, const ValueRules&) { return ParameterType<T>::to(field); }
  static std::vector<ValueProblem> store(const Json& value, const ValueRules& rules, T& field) {
    const Json item = value_of_json(value, rules);
    std::string problem = problem_with(item, rules);
    if (!problem.empty()) return {{std::move(problem)}};
    field = ParameterType<T>::from(item);
    return {};
  }
};

template <class T>
struct FieldBinding<std::optional<T>> {
  static constexpr bool kIsList = false;
  static void describe(ValueRules& rules) {
    FieldBinding<T>::describe(rules);
    rules.unset = "auto";
  }
  static std::size_t size(const std::optional<T>&) { return 1; }
  static Json load(const std::optional<T>& field, const ValueRules& rules) {
    return field ? ParameterType<T>::to(*field) : Json(*rules.unset);
  }
  static std::vector<ValueProblem> store(const Json& value, const ValueRules& rules,
                                         std::optional<T>& field) {
    if (value.is_null() || value == Json(*rules.unset)) {
      field.reset();
      return {};
    }
    T item{};
    std::vector<ValueProblem> problems = FieldBinding<T>::store(value, rules, item);
    if (problems.empty()) field = std::move(item);
    return problems;
  }
};

template <class T>
struct FieldBinding<std::vector<T>> {
  static constexpr bool kIsList = true;
  static void describe(ValueRules& rules) { ParameterType<T>::describe(rules); }
  static std::size_t size(const std::vector<T>& field) { return field.size(); }
  static Json load(const std::vector<T>& field, const ValueRules&) {
    Json out = Json::array();
    for (const T& item : field) out.push_back(ParameterType<T>::to(item));
    return out;
  }
  static std::vector<ValueProblem> store(const Json& value, const ValueRules& rules,
                                         std::vector<T>& field) {
    std::vector<Json> items;
    std::vector<ValueProblem> problems = expand_list(value, rules, items);
    if (!problems.empty()) return problems;
    field.clear();
    for (const Json& item : items) field.push_back(ParameterType<T>::from(item));
    return {};
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_BASE_PARAMETER_TYPE_H_
