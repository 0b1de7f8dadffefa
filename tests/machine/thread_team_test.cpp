#include "machine/thread_team.h"

#include <atomic>
#include <chrono>
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
