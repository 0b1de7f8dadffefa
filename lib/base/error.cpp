#include "base/error.h"

#include <utility>

#include "base/check.h"

namespace attnlab {
namespace {

std::string all_texts(const std::vector<Mistake>& mistakes) {
  std::string out;
  for (const Mistake& mistake : mistakes) {
    if (!out.empty()) out += '\n';
    out += mistake.text();
  }
  return out;
}

}  // namespace

std::string Mistake::text() const {
  return place + (place.empty() ? "" : ": ") + problem + (remedy.empty() ? "" : "; ") + remedy;
}

UserError::UserError(std::string place, std::string problem, std::string remedy)
    : UserError(std::vector{Mistake{std::move(place), std::move(problem), std::move(remedy)}}) {}

UserError::UserError(std::vector<Mistake> mistakes)
    : std::runtime_error(all_texts(mistakes)), mistakes_(std::move(mistakes)) {
  ATTNLAB_CHECK(!mistakes_.empty());
}

RunError::RunError(std::string_view place, std::string_view problem, std::string_view remedy)
    : std::runtime_error(
          Mistake{std::string(place), std::string(problem), std::string(remedy)}.text()) {}

}  // namespace attnlab
