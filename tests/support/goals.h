// What the timed programs of scripts/bench share: a clock, medians, goals beside their figures.
#ifndef ATTNLAB_TESTS_SUPPORT_GOALS_H_
#define ATTNLAB_TESTS_SUPPORT_GOALS_H_

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace attnlab {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Prints goals as rows "goal | figure | floor | stretch" and remembers whether all floors held.
class Goals {
 public:
  static void header() { std::printf("goal | figure | floor | stretch\n"); }

  void at_least(const std::string& what, double figure, double floor, double stretch) {
    report(what, figure, floor, stretch, figure >= floor);
  }
  void at_most(const std::string& what, double figure, double floor, double stretch) {
    report(what, figure, floor, stretch, figure <= floor);
  }
  bool held() const { return held_; }

 private:
  void report(const std::string& what, double figure, double floor, double stretch, bool holds) {
    std::printf("%s | %.2f | %.2f | %.2f%s\n", what.c_str(), figure, floor, stretch,
                holds ? "" : " | not reached");
    std::fflush(stdout);
    held_ = held_ && holds;
  }

  bool held_ = true;
};

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_SUPPORT_GOALS_H_
