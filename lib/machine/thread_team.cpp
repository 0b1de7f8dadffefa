#include "machine/thread_team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"
#include "machine/machine.h"

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

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

// A run is open from begin() until the caller has found no task left. Workers join an open run, as
// many as it wants, and leave when no task is left; the caller waits for those that joined. So a
// worker that wakes late costs nothing: whoever is there does the work.
struct ThreadTeam::State {
  // The number of the run << 33 | closed << 32 | workers wanted << 16 | workers that joined and
  // have not left. Changed by joining and leaving, by the caller under the mutex, and nobody else.
  std::atomic<std::uint64_t> gate{kClosed};
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 32, kMostWorkers = 0x7FFF;
  static std::uint64_t run_of(std::uint64_t g) { return g >> 33; }
  static std::uint64_t wanted(std::uint64_t g) { return g >> 16 & 0xFFFF; }
  static std::uint64_t joined(std::uint64_t g) { return g & 0xFFFF; }

  std::mutex mutex;
  std::condition_variable start, finished;
  std::atomic<bool> stopping{false};
  // Of the run, for the caller and those that joined.
  std::int64_t tasks = 0;
  void* context = nullptr;
  Call call = nullptr;
  std::atomic<std::int64_t> next{0};
  bool spins = true;  // with more threads than processors it would hinder who has work
  std::vector<std::thread> threads;

  cpu_set_t allowed;
  bool keeps_apart = false;
  int callers_cpu = -1;  // that workers keep off now

  bool measures_busy = false;
  struct alignas(64) Seconds {
    double value = 0;
  };
  std::vector<Seconds> busy_seconds;  // one a worker

  // With more threads than the process may use, none can keep apart and all must share.
  explicit State(int count) : busy_seconds(static_cast<std::size_t>(count)) {
    static const int usable = usable_threads(read_machine());
    spins = count <= usable;
    keeps_apart = count > 1 && count <= usable &&
                  sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
                  // With many more processors than threads they hardly meet.
                  CPU_COUNT(&allowed) < 2 * count;
  }

  void work(int worker) {
    const double begin = measures_busy ? now() : 0;
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      call(context, task, worker);
    }
    if (measures_busy) busy_seconds[static_cast<std::size_t>(worker)].value += now() - begin;
  }

  // Waits for `done`, which becomes true before `signal` is notified under the mutex.
  template <class Done>
  void wait(std::condition_variable& signal, Done&& done) {
    if (spins && spin_until(done)) return;
    std::unique_lock lock(mutex);
    signal.wait(lock, done);
  }

  bool join() {
    std::uint64_t g = gate.load(std::memory_order_acquire);
    while ((g & kClosed) == 0 && joined(g) < wanted(g)) {
      if (gate.compare_exchange_weak(g, g + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void leave() {
    const std::uint64_t before = gate.fetch_sub(1, std::memory_order_acq_rel);
    if (joined(before) > 1 || (before & kClosed) == 0) return;
    const std::lock_guard lock(mutex);  // who is about to wait has not yet missed it
    finished.notify_one();
  }

  void loop(int worker) {
    for (std::uint64_t seen = 0;;) {
      std::uint64_t run = seen;
      wait(start, [&] {
        run = run_of(gate.load(std::memory_order_acquire));
        return run != seen;
      });
      seen = run;
      if (stopping) return;
      if (!join()) continue;
      work(worker);
      leave();
    }
  }

  // Workers may run wherever the process may, but for the CPU that the caller is on.
  void keep_apart() {
    const int cpu = sched_getcpu();
    if (cpu < 0 || cpu == callers_cpu) return;
    cpu_set_t others = allowed;
    CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0) return;
    for (std::thread& thread : threads) {
      pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
    }
    callers_cpu = cpu;
  }

  // Lets that many workers see what was set before.
  void begin(std::int64_t workers) {
    if (keeps_apart) keep_apart();
    {
      const std::lock_guard lock(mutex);
      const std::uint64_t run = run_of(gate.load(std::memory_order_relaxed)) + 1;
      gate.store(run << 33 | static_cast<std::uint64_t>(workers) << 16, std::memory_order_release);
    }
    if (workers == std::ssize(threads)) {
      start.notify_all();
    } else {
      for (std::int64_t i = 0; i < workers; ++i) start.notify_one();
    }
  }

  void end() {
    const std::uint64_t g = gate.fetch_or(kClosed, std::memory_order_acq_rel);
    if (joined(g) == 0) return;
    wait(finished, [&] { return joined(gate.load(std::memory_order_acquire)) == 0; });
  }
};

ThreadTeam::ThreadTeam(int threads) {
  ATTNLAB_CHECK(threads >= 1 && static_cast<std::uint64_t>(threads) <= State::kMostWorkers);
  state_ = std::make_unique<State>(threads);
  for (int worker = 1; worker < threads; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->loop(worker); });
  }
}

ThreadTeam::~ThreadTeam() {
  state_->stopping = true;
  state_->begin(std::ssize(state_->threads));
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadTeam::threads() const { return static_cast<int>(state_->threads.size()) + 1; }

void ThreadTeam::measure_busy(bool on) {
  state_->measures_busy = on;
  if (!on) return;
  for (State::Seconds& seconds : state_->busy_seconds) seconds.value = 0;
}

double ThreadTeam::busy_seconds() const {
  double sum = 0;
  for (const State::Seconds& seconds : state_->busy_seconds) sum += seconds.value;
  return sum;
}

void ThreadTeam::run_erased(std::int64_t tasks, void* context, Call call, int workers) {
  state_->tasks = tasks;
  state_->context = context;
  state_->call = call;
  state_->next.store(0, std::memory_order_relaxed);
  const std::int64_t others = std::min<std::int64_t>({threads(), workers, tasks}) - 1;
  if (others > 0) state_->begin(others);
  state_->work(0);
  if (others > 0) state_->end();
}

}  // namespace attnlab
