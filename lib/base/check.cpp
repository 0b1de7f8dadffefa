#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace attnlab {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "attnlab: internal error: %s:%d: %s does not hold; please report this\n",
               file, line, condition);
  std::abort();
}

}  // namespace attnlab
