#include "machine/thread_team.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"

namespace attnlab {

namespace {

// How long a thread looks for more to do before it sleeps. Waking a sleeper takes tens of
// microseconds, as long as a small problem; a longer look would take the core from others.
constexpr std::chrono::microseconds kSpin{50};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether `done` came true within kSpin.
template <class Done>
bool spin_until(Done&& done) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int look = 0; look < 32; ++look) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - begin < kSpin);
  return false;
}

}  // namespace

struct ThreadTeam::State {
  std::mutex mutex;
  std::condition_variable start, finished;
  // Counts calls of run(), and the end. It grows under the mutex, after the four below are set.
  std::atomic<std::uint64_t> generation{0};
  bool stopping = false;
  std::int64_t tasks = 0;
  void* context = nullptr;
  Call call = nullptr;
  std::atomic<int> busy{0};
  std::atomic<std::int64_t> next{0};
  bool spins = true;  // with more threads than processors it would hinder who has work
  std::vector<std::thread> threads;

  void work(int worker) {
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      call(context, task, worker);
    }
  }

  // Waits for `done`, which becomes true before `signal` is notified under the mutex.
  template <class Done>
  void wait(std::condition_variable& signal, Done&& done) {
    if (spins && spin_until(done)) return;
    std::unique_lock lock(mutex);
    signal.wait(lock, done);
  }

  void loop(int worker) {
    for (std::uint64_t seen = 0;; ++seen) {  // run() waits for all: none is missed
      wait(start, [&] { return generation.load(std::memory_order_acquire) != seen; });
      if (stopping) return;
      work(worker);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock(mutex);  // who is about to wait has not yet missed it
        finished.notify_one();
      }
    }
  }

  // Lets the workers see what was set before.
  void begin() {
    {
      const std::lock_guard lock(mutex);
      generation.fetch_add(1, std::memory_order_release);
    }
    start.notify_all();
  }
};

ThreadTeam::ThreadTeam(int threads) : state_(std::make_unique<State>()) {
  ATTNLAB_CHECK(threads >= 1);
  state_->spins = static_cast<unsigned>(threads) <= std::thread::hardware_concurrency();
  for (int worker = 1; worker < threads; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->loop(worker); });
  }
}

ThreadTeam::~ThreadTeam() {
  state_->stopping = true;
  state_->begin();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadTeam::threads() const { return static_cast<int>(state_->threads.size()) + 1; }

void ThreadTeam::run_erased(std::int64_t tasks, void* context, Call call) {
  if (state_->threads.empty() || tasks <= 1) {  // waking the others would cost more than it gives
    for (std::int64_t task = 0; task < tasks; ++task) call(context, task, 0);
    return;
  }
  state_->tasks = tasks;
  state_->context = context;
  state_->call = call;
  state_->next.store(0, std::memory_order_relaxed);
  state_->busy.store(static_cast<int>(state_->threads.size()), std::memory_order_relaxed);
  state_->begin();
  state_->work(0);
  state_->wait(state_->finished, [&] { return state_->busy.load(std::memory_order_acquire) == 0; });
}

}  // namespace attnlab
