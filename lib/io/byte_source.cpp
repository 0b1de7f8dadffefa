#include "io/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace attnlab {
namespace {

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::string& path) : path_(path) {
    // Not blocking: a pipe without a writer would be waited for.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status {};
    const int failed = descriptor_ < 0 ? errno : ::fstat(descriptor_, &status) != 0 ? errno : 0;
    if (failed == 0 && S_ISREG(status.st_mode)) {
      size_ = status.st_size;
      return;
    }
    close();
    if (failed != 0) {
      throw UserError(path, fmt::format("cannot be read: {}", std::strerror(failed)),
                      failed == ENOENT ? "check the name" : "");
    }
    if (S_ISDIR(status.st_mode)) throw UserError(path, "is a directory", "name a file");
    throw UserError(path, "is no regular file", "arrays are read by position: save it to a file");
  }
  ~FileBytes() override { close(); }

  std::int64_t size() const override { return size_; }

  void read(std::int64_t offset, std::span<std::byte> out) override {
    ATTNLAB_CHECK(offset >= 0 && offset <= size_ &&
                  std::cmp_less_equal(out.size(), size_ - offset));
    while (!out.empty()) {
      const ssize_t got = ::pread(descriptor_, out.data(), out.size(), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw RunError(path_, fmt::format("reading failed: {}", std::strerror(errno)));
      if (got == 0) {
        throw UserError(
            path_,
            fmt::format("ends before byte {} although it had {} bytes when it was opened",
                        offset + 1, size_),
            "do not write to it while it is read");
      }
      offset += got;
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file_bytes(const std::string& path) {
  return std::make_unique<FileBytes>(path);
}

void MemoryBytes::read(std::int64_t offset, std::span<std::byte> out) {
  ATTNLAB_CHECK(offset >= 0 && offset <= size() &&
                std::cmp_less_equal(out.size(), size() - offset));
  std::copy_n(bytes_.begin() + offset, out.size(), out.begin());
}

}  // namespace attnlab
