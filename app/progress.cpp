#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/signals.h"
#include "base/text.h"

namespace attnlab {

Progress::Progress(bool shown, std::size_t points, double total_cost)
    : shown_(shown), points_(points), total_cost_(total_cost), start_(Clock::now()) {}

Progress::~Progress() { erase(); }

void Progress::begin(std::size_t point, const std::string& label, double cost) {
  point_ = point;
  label_ = label;
  cost_ = cost;
  draw(0);
}

void Progress::end() { done_cost_ += cost_; }

void Progress::erase() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::progress(double share_done) { draw(share_done); }

bool Progress::stopped() const { return stop_signal() != 0; }

void Progress::draw(double share_done) {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const Clock::time_point now = Clock::now();
  if (!shown_ || (now - last_draw_ < kInterval && last_draw_ != Clock::time_point())) return;
  last_draw_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double done = done_cost_ + cost_ * std::clamp(share_done, 0.0, 1.0);
  std::string left;
  if (elapsed > 0.5 && done > 0 && total_cost_ > 0) {
    left = ", " + rough_duration(elapsed * std::max(0.0, total_cost_ - done) / done) + " left";
  }
  const std::string inner = share_done > 0 ? fmt::format(" ({:.0f} %)", 100 * share_done) : "";
  fmt::print(stderr, "\r\x1b[K{}",
             printable(fmt::format("{}/{} {}{}{}", point_ + 1, points_, label_, inner, left), 78));
  std::fflush(stderr);
  drawn_ = true;
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e15));
  if (seconds < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace attnlab
