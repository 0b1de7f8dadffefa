// The progress line on stderr: done/total, the current point, time left. One line that erases
// itself.
#ifndef ATTNLAB_APP_PROGRESS_H_
#define ATTNLAB_APP_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "base/watch.h"

namespace attnlab {

class Progress : public Watch {
 public:
  // `shown` false: only watches for signals. `total_cost` in any unit: what all points are
  // estimated at.
  Progress(bool shown, std::size_t points, double total_cost);
  ~Progress() override;

  void begin(std::size_t point, const std::string& label, double cost);
  void end();  // of the point that began last
  void erase();

  void progress(double share_done) override;
  bool stopped() const override;

 private:
  void draw(double share_done);

  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  std::size_t points_, point_ = 0;
  double total_cost_, done_cost_ = 0, cost_ = 0;
  std::string label_;
  Clock::time_point start_, last_draw_;
};

// "3 s", "2 min 5 s", "1 h 10 min"
std::string rough_duration(double seconds);

}  // namespace attnlab

#endif  // ATTNLAB_APP_PROGRESS_H_
