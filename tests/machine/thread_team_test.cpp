#include "machine/thread_team.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "support/catch.h"

namespace attnlab {

TEST_CASE("a team runs every task exactly once, whatever its size", "[machine]") {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadTeam team(threads);
    CHECK(team.threads() == threads);
    for (const std::int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      std::atomic<bool> worker_in_range{true};
      team.run(tasks, [&](std::int64_t task, int worker) {
        runs[static_cast<std::size_t>(task)]++;
        if (worker < 0 || worker >= threads) worker_in_range = false;
      });
      CHECK(worker_in_range);
      for (const auto& count : runs) CHECK(count == 1);
    }
  }
}

TEST_CASE("a team can be used many times in a row", "[machine]") {
  ThreadTeam team(4);
  std::atomic<std::int64_t> sum{0};
  for (int round = 0; round < 2000; ++round) {
    team.run(5, [&](std::int64_t task, int) { sum += task; });
  }
  CHECK(sum == 2000 * 10);
}

TEST_CASE("no more workers take part than a run asks for", "[machine]") {
  ThreadTeam team(4);
  for (const int workers : {1, 2, 3}) {
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> now{0}, most{0};
      team.run(
          8,
          [&](std::int64_t, int) {
            const int here = ++now;
            for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
            }
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            --now;
          },
          workers);
      REQUIRE(most <= workers);
    }
  }
}

TEST_CASE("all workers of a team come to help where there is enough to do", "[machine]") {
  ThreadTeam team(3);
  std::vector<std::atomic<int>> runs(3);
  const auto all = [&] { return runs[0] > 0 && runs[1] > 0 && runs[2] > 0; };
  for (int round = 0; round < 200 && !all(); ++round) {
    team.run(30, [&](std::int64_t, int worker) {
      runs[static_cast<std::size_t>(worker)]++;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  }
  CHECK(all());
}

TEST_CASE("a team tells how long its workers were busy, and not how long they waited",
          "[machine]") {
  for (const int threads : {1, 2}) {
    ThreadTeam team(threads);
    const auto pause = [](std::int64_t, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
    team.run(2, pause);
    CHECK(team.busy_seconds() == 0);
    team.measure_busy(true);
    const auto begin = std::chrono::steady_clock::now();
    team.run(1, pause);  // the second worker has nothing to do
    team.run(2, pause);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    CHECK(team.busy_seconds() >= 0.009);
    CHECK(team.busy_seconds() <= threads * wall.count());
    team.measure_busy(false);
    const double before = team.busy_seconds();
    team.run(2, pause);
    CHECK(team.busy_seconds() == before);
  }
}

TEST_CASE("a team leaves its caller on the processors that it had", "[machine]") {
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  {
    ThreadTeam team(2);
    for (int round = 0; round < 100; ++round) {
      team.run(2, [&](std::int64_t, int worker) {
        cpu_set_t mine;
        if (worker == 0 || sched_getaffinity(0, sizeof mine, &mine) != 0) return;
        cpu_set_t both;
        CPU_OR(&both, &mine, &before);
        if (!CPU_EQUAL(&both, &before)) std::abort();  // beyond what is allowed
      });
    }
  }
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("a team wakes after it slept, and a slow worker is waited for", "[machine]") {
  ThreadTeam team(2);
  std::atomic<int> runs{0};
  for (const int before : {0, 1, 5}) {  // milliseconds: within and beyond what it spins
    for (int round = 0; round < 20; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(before));
      team.run(2, [&](std::int64_t task, int) {
        if (task == 1) std::this_thread::sleep_for(std::chrono::milliseconds(before));
        ++runs;
      });
      REQUIRE(runs.exchange(0) == 2);
    }
  }
}

}  // namespace attnlab
