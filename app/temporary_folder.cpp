#include "app/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"

namespace attnlab {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / ("attnlab-" + purpose + "-XXXXXX")).string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    throw RunError(error ? "TMPDIR" : name,
                   fmt::format("no folder for temporary files can be made: {}",
                               error ? error.message() : std::strerror(errno)),
                   "set TMPDIR to one that you may write to");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace attnlab
