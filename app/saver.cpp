#include "app/saver.h"

#include <chrono>

#include "base/error.h"

namespace attnlab {

Saver::Saver(Output& output, const Result& result) : output_(output), result_(result) {
  if (output_.is_folder()) thread_ = std::thread([this] { loop(); });
}

Saver::~Saver() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Saver::changed(std::unique_lock<std::mutex> held) {
  dirty_ = true;
  held.unlock();
  wake_.notify_one();
}

void Saver::loop() {
  constexpr auto kPause = std::chrono::milliseconds(100);  // contract: within a quarter of a second
  std::unique_lock held(mutex_);
  while (true) {
    wake_.wait(held, [&] { return dirty_ || stopping_; });
    if (stopping_) return;
    dirty_ = false;
    try {
      output_.save(result_);
    } catch (const RunError&) {
      // The disk may have room again by the end, when everything is written once more and a failure
      // is reported; what has been measured is worth more than the saving.
    }
    wake_.wait_for(held, kPause, [&] { return stopping_; });
  }
}

}  // namespace attnlab
