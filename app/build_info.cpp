#include "app/build_info.h"

#include "commit.h"

namespace attnlab {
namespace {

std::string without_double_blanks(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  return out;
}

}  // namespace

BuildInfo build_info() {
#if defined(__clang__)
  const std::string compiler = std::string("clang++ ") + __clang_version__;
#else
  const std::string compiler = std::string("g++ ") + __VERSION__;
#endif
  return {ATTNLAB_VERSION, ATTNLAB_COMMIT, compiler, ATTNLAB_BUILD_TYPE,
          without_double_blanks(ATTNLAB_FLAGS)};
}

}  // namespace attnlab
