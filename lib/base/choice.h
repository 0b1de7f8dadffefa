// Enums with names. An enum that users can choose from has, beside it, a function
//   std::span<const std::string_view> choice_names(E);
// which returns one name a value, in the order of the values, which count from 0.
#ifndef ATTNLAB_BASE_CHOICE_H_
#define ATTNLAB_BASE_CHOICE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnlab {

template <class E>
std::string choice_name(E value) {
  return std::string(choice_names(value)[static_cast<std::size_t>(value)]);
}

template <class E>
std::optional<E> choice_from_name(std::string_view wanted) {
  int index = 0;
  for (const std::string_view name : choice_names(E{})) {
    if (name == wanted) return static_cast<E>(index);
    ++index;
  }
  return std::nullopt;
}

}  // namespace attnlab

#endif  // ATTNLAB_BASE_CHOICE_H_
