#include "machine/thread_team.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"

namespace attnlab {

struct ThreadTeam::State {
  std::mutex mutex;
  std::condition_variable start, finished;
  std::int64_t generation = 0;  // counts calls of run(); guarded by mutex, as the five below
  bool stopping = false;
  int busy = 0;
  std::int64_t tasks = 0;
  void* context = nullptr;
  Call call = nullptr;
  std::atomic<std::int64_t> next{0};
  std::vector<std::thread> threads;

  void work(int worker) {
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      call(context, task, worker);
    }
  }

  void loop(int worker) {
    std::int64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      start.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) return;
      seen = generation;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy == 0) finished.notify_one();
    }
  }
};

ThreadTeam::ThreadTeam(int threads) : state_(std::make_unique<State>()) {
  ATTNLAB_CHECK(threads >= 1);
  for (int worker = 1; worker < threads; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->loop(worker); });
  }
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->start.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadTeam::threads() const { return static_cast<int>(state_->threads.size()) + 1; }

void ThreadTeam::run_erased(std::int64_t tasks, void* context, Call call) {
  if (state_->threads.empty() || tasks <= 1) {  // waking the others would cost more than it gives
    for (std::int64_t task = 0; task < tasks; ++task) call(context, task, 0);
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks = tasks;
    state_->context = context;
    state_->call = call;
    state_->next.store(0, std::memory_order_relaxed);
    state_->busy = static_cast<int>(state_->threads.size());
    ++state_->generation;
  }
  state_->start.notify_all();
  state_->work(0);
  std::unique_lock lock(state_->mutex);
  state_->finished.wait(lock, [&] { return state_->busy == 0; });
}

}  // namespace attnlab
