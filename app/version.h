// What --version says: everything a bug report needs.
#ifndef ATTNLAB_APP_VERSION_H_
#define ATTNLAB_APP_VERSION_H_

#include <string>

namespace attnlab {

std::string version_text();

}  // namespace attnlab

#endif  // ATTNLAB_APP_VERSION_H_
