// How this program was built.
#ifndef ATTNLAB_APP_BUILD_INFO_H_
#define ATTNLAB_APP_BUILD_INFO_H_

#include <string>

namespace attnlab {

struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string commit;    // "1a2b3c4d5e6f", "...-dirty", or "unknown"
  std::string compiler;  // "g++ 12.2.0"
  std::string build_type;
  std::string flags;
};

BuildInfo build_info();

}  // namespace attnlab

#endif  // ATTNLAB_APP_BUILD_INFO_H_
