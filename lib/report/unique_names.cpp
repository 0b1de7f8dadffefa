#include "report/unique_names.h"

#include <fmt/format.h>

namespace attnlab {

std::string UniqueNames::make(const std::string& name) {
  std::string out = name;
  while (!taken_.insert(out).second) {
    int& uses = uses_.try_emplace(name, 1).first->second;
    out = fmt::format("{} #{}", name, ++uses);
  }
  return out;
}

}  // namespace attnlab
