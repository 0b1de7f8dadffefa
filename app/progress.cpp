#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/signals.h"
#include "app/streams.h"
#include "base/text.h"

namespace attnlab {
namespace {

std::vector<std::vector<double>> estimates_of(const std::vector<std::vector<Point>>& points) {
  std::vector<std::vector<double>> out;
  for (const std::vector<Point>& experiment : points) {
    std::vector<double>& seconds = out.emplace_back();
    for (const Point& point : experiment) seconds.push_back(point.seconds);
  }
  return out;
}

}  // namespace

Progress::Progress(bool shown, const std::vector<std::vector<Point>>& points)
    : shown_(shown), time_left_(estimates_of(points)) {
  for (const std::vector<Point>& experiment : points) points_ += experiment.size();
}

Progress::~Progress() { erase(); }

void Progress::begin(std::size_t experiment, const std::string& name, const Point& point) {
  experiment_ = experiment;
  if (name_ != name) name_ = name;
  point_ = &point;
  ++started_;
  begin_ = Clock::now();
  draw(0);
}

void Progress::skip(std::size_t experiment, const Point& point) {
  ++started_;
  time_left_.skipped(experiment, point.seconds);
}

void Progress::end() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  time_left_.finished(experiment_, point_->seconds, seconds);
}

void Progress::erase() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::progress(double share_done) { draw(share_done); }

bool Progress::stopped() const { return stop_signal() != 0; }

void Progress::draw(double share_done) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_draw_ < kInterval && last_draw_ != Clock::time_point()) return;
  last_draw_ = now;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const auto left = time_left_.left(experiment_, point_->seconds, share_done, elapsed);
  // What matters most stands first, and is never cut.
  const std::string start = fmt::format("{}/{}{} ", started_, points_,
                                        left ? ", " + rough_duration(*left) + " left:" : ":");
  const std::string inner = share_done > 0 ? fmt::format(" ({:.0f} %)", 100 * share_done) : "";
  std::string label = printable(name_ + " " + point_->label, 500);
  const std::size_t width = terminal_width(StandardStream::kError) - 1;
  if (display_width(start) + display_width(label) + display_width(inner) > width) {
    const std::size_t used = display_width(start) + display_width(inner);
    label = printable(label, width > used + 3 ? width - used - 3 : 0);
  }
  fmt::print(stderr, "\r\x1b[K{}{}{}", start, label, inner);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace attnlab
