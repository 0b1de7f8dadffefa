// A team of threads that runs numbered tasks.
// Which worker runs which task is not fixed: a result must depend on the task's number alone, so
// that any team size gives the same bits (docs/architecture.md, "Fixed chunks").
// Workers look for the next run for a while before they sleep, and keep off the CPU that the caller
// runs on: a sleeper is often woken on the waker's CPU and stays there for milliseconds.
#ifndef ATTNLAB_MACHINE_THREAD_TEAM_H_
#define ATTNLAB_MACHINE_THREAD_TEAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace attnlab {

class ThreadTeam {
 public:
  // Starts threads - 1 threads (the caller is worker 0); threads >= 1.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const;

  // Calls body(task, worker) once for each task in [0, tasks), worker in [0, threads()), and
  // returns when all are done. Tasks are handed out in ascending order. Allocates nothing. The body
  // must not throw and must not call run() of the same team. At most that many workers take part.
  template <class Body>
  void run(std::int64_t tasks, Body&& body, int workers = std::numeric_limits<int>::max()) {
    using Plain = std::remove_reference_t<Body>;
    run_erased(
        tasks, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
        [](void* context, std::int64_t task, int worker) {
          (*static_cast<Plain*>(context))(task, worker);
        },
        workers);
  }

  // Seconds that all workers together have spent on tasks since measure_busy(true), which costs
  // each of them two looks at the clock a run. Not while a run goes on.
  void measure_busy(bool on);
  double busy_seconds() const;

 private:
  using Call = void (*)(void* context, std::int64_t task, int worker);
  void run_erased(std::int64_t tasks, void* context, Call call, int workers);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_THREAD_TEAM_H_
