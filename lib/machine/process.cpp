#include "machine/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>

#include "base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace attnlab {
namespace {

constexpr int kPollMilliseconds = 50;
constexpr int kCannotStart = 127;

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw RunError("pipe", std::strerror(errno), "close other programs");
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int end) {
    if (ends[static_cast<std::size_t>(end)] >= 0) close(ends[static_cast<std::size_t>(end)]);
    ends[static_cast<std::size_t>(end)] = -1;
  }
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Between fork and exec: only what a signal handler may do.
[[noreturn]] void become(const char* program, char** arguments, char** environment,
                         const char* folder, int output, int errors, const sigset_t& signals) {
  // A signal that comes before exec must end the process, not run the parent's handler.
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (*folder == '\0' || chdir(folder) == 0) execve(program, arguments, environment);
  _exit(kCannotStart);
}

// Reads what is there; false at the end of the stream.
bool read_some(int descriptor, std::string& out) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(descriptor, buffer.data(), buffer.size());
  if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& variables,
                          const Watch& watch, const std::string& folder) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  for (const auto& [name, value] : variables) {
    std::erase_if(environment, [&](const std::string& old) { return old.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
  }
  std::vector<char*> word_pointers = pointers_to(words);
  std::vector<char*> variable_pointers = pointers_to(environment);
  Pipe output, errors;
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  const pid_t child = fork();
  if (child == 0) {
    become(program.c_str(), word_pointers.data(), variable_pointers.data(), folder.c_str(),
           output.ends[1], errors.ends[1], before);
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw RunError(program, std::strerror(error), "close other programs");
  output.close_end(1);
  errors.close_end(1);
  ProcessResult out;
  std::array<pollfd, 2> streams{pollfd{output.ends[0], POLLIN, 0},
                                pollfd{errors.ends[0], POLLIN, 0}};
  bool is_told = false;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (watch.stopped() && !is_told) {
      kill(child, SIGTERM);
      is_told = true;
    }
    if (poll(streams.data(), streams.size(), kPollMilliseconds) < 0 && errno != EINTR) break;
    if (streams[0].revents != 0 && !read_some(streams[0].fd, out.output)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !read_some(streams[1].fd, out.errors)) streams[1].fd = -1;
    streams[0].revents = streams[1].revents = 0;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (out.exit_code == kCannotStart && out.output.empty() && out.errors.empty()) {
    throw RunError(program, "could not be started", "");
  }
  return out;
}

std::string own_program() { return "/proc/self/exe"; }

}  // namespace attnlab
