#include "app/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

extern char** environ;

namespace attnlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// A new folder for temporary files, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "attnlab-plot-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
      throw RunError(error ? "TMPDIR" : name,
                     fmt::format("no folder for temporary files can be made: {}",
                                 error ? error.message() : std::strerror(errno)),
                     "set TMPDIR to one that you may write to");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// Runs a program in a folder, without a shell; what it prints goes to a file. Its exit status, or
// -1 when it was ended by a signal.
int run_in(const std::string& folder, const std::string& program, const char* script,
           const std::string& messages) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  // --default-settings: a user's ~/.gnuplot would change what is drawn.
  const char* arguments[] = {"gnuplot", "--default-settings", script, nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr,
                                  const_cast<char**>(arguments), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw RunError(program, fmt::format("cannot be started: {}", std::strerror(error)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The line of gnuplot's messages that tells what is wrong: the last that is not empty.
std::string complaint_in(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "it says nothing";
  std::string out = "it says nothing";
  for (const std::string& line : split(read_file(path, kMostBytes), '\n')) {
    if (line.find_first_not_of(" \t\r^") != std::string::npos) out = line;
  }
  return printable(out, 200);
}

}  // namespace

std::string find_gnuplot() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const std::string& folder : split(path, ':')) {
    if (folder.empty()) continue;
    const std::string candidate = (fs::path(folder) / "gnuplot").string();
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return fs::absolute(candidate, error).string();
    }
  }
  return "";
}

std::string draw(const std::string& gnuplot, const GnuplotFiles& files,
                 const GnuplotOptions& options) {
  const TemporaryFolder folder;
  const char* script = "figure.gp";
  write_file(folder.file(script), {files.script});
  write_file(folder.file(options.data_file), {files.data});
  const std::string messages = folder.file("messages");
  const int status = run_in(folder.path(), gnuplot, script, messages);
  const std::string figure = folder.file(options.output_file);
  std::error_code error;
  if (status != 0 || !fs::exists(figure, error) || fs::file_size(figure, error) == 0) {
    throw RunError(gnuplot, "could not draw the figure: " + complaint_in(messages),
                   "without gnuplot on PATH its script and data are written instead");
  }
  return read_file(figure, kMostBytes);
}

}  // namespace attnlab
