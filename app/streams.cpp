#include "app/streams.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/number.h"

namespace attnlab {
namespace {

// Whether the terminal takes escape sequences, as far as TERM says.
bool knows_escapes() {
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::strcmp(term, "dumb") != 0;
}

}  // namespace

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // someone made it non-blocking
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (written < 0 && errno == EPIPE) throw ClosedPipe();
    if (written < 0) {
      throw RunError("standard output", fmt::format("cannot be written: {}", std::strerror(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

bool shows_progress() { return stderr_is_terminal() && knows_escapes(); }

bool wants_color(ColorChoice choice, bool is_terminal) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_terminal && knows_escapes();
}

std::size_t terminal_width(StandardStream stream) {
  constexpr std::size_t kUsual = 80, kLeast = 20;
  winsize size{};
  const int descriptor = stream == StandardStream::kOutput ? STDOUT_FILENO : STDERR_FILENO;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeast) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto number = columns == nullptr ? std::nullopt : integer_from_text(columns);
  if (number && *number >= static_cast<std::int64_t>(kLeast) && *number < 100000) {
    return static_cast<std::size_t>(*number);
  }
  return kUsual;
}

}  // namespace attnlab
