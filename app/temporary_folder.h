// A new folder for temporary files, removed with all that is in it.
#ifndef ATTNLAB_APP_TEMPORARY_FOLDER_H_
#define ATTNLAB_APP_TEMPORARY_FOLDER_H_

#include <filesystem>
#include <string>

namespace attnlab {

class TemporaryFolder {
 public:
  // attnlab-PURPOSE-XXXXXX in TMPDIR or /tmp. RunError when none can be made there.
  explicit TemporaryFolder(const std::string& purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_TEMPORARY_FOLDER_H_
