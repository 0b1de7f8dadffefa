#include "app/own_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 4096;  // within which a mark stands

}  // namespace

void check_own_file(const std::string& path, bool force,
                    std::initializer_list<std::string_view> marks) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw UserError(path, "is a directory", "name a file");
  if (!fs::is_regular_file(status) || force) return;
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const bool is_own = std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return head.find(mark) != std::string::npos;
  });
  if (is_own) return;
  throw UserError(path, "is there already and was not written by attnlab",
                  "choose another place, or overwrite it with --force");
}

}  // namespace attnlab
