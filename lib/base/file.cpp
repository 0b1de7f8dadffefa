#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace attnlab {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  // Errors of a delayed write show only here.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string remedy_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "make room, or choose another place with -o";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place that you may write to with -o";
    case ENOENT:
      return "make the folder first";
    default:
      return "";
  }
}

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  throw RunError(path, fmt::format("cannot be written: {}", std::strerror(error)),
                 remedy_of(error));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string read_file(const std::string& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    throw UserError(path, fmt::format("cannot be read: {}", std::strerror(errno)),
                    errno == ENOENT ? "check the name" : "");
  }
  if (S_ISDIR(status.st_mode)) throw UserError(path, "is a directory", "name a file");
  std::string text;
  std::string block(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw UserError(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) return text;
    text.append(block, 0, static_cast<std::size_t>(got));
    if (text.size() > most) {
      throw UserError(path, fmt::format("is larger than {} bytes", most), "is it the right file?");
    }
  }
}

void write_file(const std::string& path, std::initializer_list<std::string_view> pieces) {
  write_file(path, std::span(pieces.begin(), pieces.size()));
}

void write_file(const std::string& path, std::span<const std::string_view> pieces) {
  // A fixed suffix with the process number: two runs do not disturb each other's temporary file.
  const std::string temporary = fmt::format("{}.tmp{}", path, ::getpid());
  struct stat old {};
  const bool is_old = ::stat(path.c_str(), &old) == 0;
  if (is_old && S_ISDIR(old.st_mode)) fail_to_write(path, EISDIR);
  if (is_old &&
      !S_ISREG(old.st_mode)) {  // a device or a pipe (-o /dev/stdout) cannot be renamed to
    Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    bool good = device.number() >= 0;
    for (const std::string_view piece : pieces) good = good && write_all(device.number(), piece);
    if (!good || !device.close()) fail_to_write(path, errno);
    return;
  }
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) fail_to_write(path, errno);
  if (is_old) (void)::fchmod(file.number(), old.st_mode & 07777);  // worth a try, no more
  bool good = true;
  for (const std::string_view piece : pieces) good = good && write_all(file.number(), piece);
  good = good && file.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!good) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail_to_write(path, error);
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_to_write(path, error.value());
  if (!std::filesystem::is_directory(path, error)) fail_to_write(path, ENOTDIR);
}

}  // namespace attnlab
