#include "report/differences.h"

#include <fmt/format.h>

#include <utility>

namespace attnlab {
namespace {

void add(const Json& old_value, const Json& new_value, const std::string& place,
         std::vector<Difference>& out) {
  if (old_value == new_value) return;
  if (old_value.is_object() && new_value.is_object()) {
    for (const auto& [key, value] : new_value.items()) {
      add(old_value.value(key, Json()), value, child_place(place, key), out);
    }
    for (const auto& [key, value] : old_value.items()) {
      if (!new_value.contains(key)) add(value, Json(), child_place(place, key), out);
    }
    return;
  }
  if (old_value.is_array() && new_value.is_array() && old_value.size() == new_value.size()) {
    for (std::size_t i = 0; i < old_value.size(); ++i) {
      add(old_value[i], new_value[i], child_place(place, i), out);
    }
    return;
  }
  out.push_back({place, old_value, new_value});
}

}  // namespace

std::string Difference::text() const {
  return fmt::format("was {}, is {} now", shown(old_value), shown(new_value));
}

std::vector<Difference> json_differences(const Json& old_value, const Json& new_value,
                                         const std::string& place) {
  std::vector<Difference> out;
  add(old_value, new_value, place, out);
  return out;
}

}  // namespace attnlab
