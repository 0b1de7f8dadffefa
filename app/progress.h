// The progress line on stderr: done/total, the current point, time left. One line that erases
// itself.
#ifndef ATTNLAB_APP_PROGRESS_H_
#define ATTNLAB_APP_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "app/time_left.h"
#include "base/watch.h"
#include "experiments/experiment.h"

namespace attnlab {

class Progress : public Watch {
 public:
  // `shown` false: only watches for signals. The points of every experiment, in their order.
  Progress(bool shown, const std::vector<std::vector<Point>>& points);
  ~Progress() override;

  // A point begins, or is passed over because its rows are there already.
  void begin(std::size_t experiment, const std::string& name, const Point& point);
  void skip(std::size_t experiment, const Point& point);
  void end();  // of the point that began last
  void erase();

  void progress(double share_done) override;
  bool stopped() const override;

 private:
  void draw(double share_done);

  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  std::size_t points_ = 0, started_ = 0, experiment_ = 0;
  TimeLeft time_left_;
  const Point* point_ = nullptr;
  std::string name_;  // of the experiment
  Clock::time_point begin_, last_draw_;
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_PROGRESS_H_
