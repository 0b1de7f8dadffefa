#include "app/signals.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace attnlab {
namespace {

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  caught.store(number, std::memory_order_relaxed);
  std::signal(number, SIG_DFL);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // A shell that runs us in the background has it ignored, and means it.
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() { return caught.load(std::memory_order_relaxed); }

}  // namespace attnlab
