#include "app/saver.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace attnlab {

void append_rows(PointRows& from, Result& result) {
  for (std::size_t i = 0; i < from.rows.size(); ++i) {
    Table& to = result.tables[from.first_table + i];
    std::move(from.rows[i].begin(), from.rows[i].end(), std::back_inserter(to.rows));
    for (std::string& note : from.notes[i]) to.add_note(std::move(note));
  }
  ++result.points.done;
}

Saver::Saver(Output& output, Result& result) : output_(output), result_(result) {
  if (output_.is_folder()) thread_ = std::thread([this] { loop(); });
}

Saver::~Saver() {
  {
    const auto held = take();
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Saver::add(PointRows rows) {
  if (!thread_.joinable()) {
    append_rows(rows, result_);
    return;
  }
  bool is_first = false;
  {
    const std::lock_guard guard(mutex_);
    is_first = queue_.empty();
    queue_.push_back(std::move(rows));
  }
  if (is_first) wake_.notify_one();  // it gathers the others by itself
}

std::unique_lock<std::mutex> Saver::take() {
  std::unique_lock held(mutex_);
  ++waiting_;
  wake_.notify_one();
  idle_.wait(held, [&] { return !busy_ && queue_.empty(); });
  --waiting_;
  return held;
}

void Saver::give_back(std::unique_lock<std::mutex> held) {
  unsaved_ = true;
  held.unlock();
  wake_.notify_one();
}

void Saver::loop() {
  std::unique_lock held(mutex_);
  while (true) {
    wake_.wait(held, [&] { return stopping_ || unsaved_ || !queue_.empty(); });
    // Rows gather until it is time to save, unless someone waits for them.
    wake_.wait_until(held, next_save_,
                     [&] { return stopping_ || (waiting_ > 0 && !queue_.empty()); });
    if (stopping_) return;
    std::vector<PointRows> batch = std::exchange(queue_, {});
    const bool may_save = waiting_ == 0;  // who waits shall not wait for the disk
    busy_ = true;
    held.unlock();
    absorb(batch, may_save);
    held.lock();
    busy_ = false;
    idle_.notify_all();
  }
}

void Saver::absorb(std::vector<PointRows>& batch, bool may_save) {
  // The contract gives a quarter of a second. A document so long that writing it takes its time is
  // written at most a third of the time.
  constexpr auto kPause = std::chrono::milliseconds(100);
  const Clock::time_point start = Clock::now();
  for (PointRows& rows : batch) {
    append_rows(rows, result_);
    output_.add_rows(result_);  // while the rows are in the cache
  }
  output_.add_rows(result_);  // what was forgotten
  unsaved_ = true;
  if (!may_save || start < next_save_) return;
  try {
    output_.save(result_);
  } catch (const RunError&) {
    // The disk may have room again by the end, when everything is written once more and a failure
    // is reported; what has been measured is worth more than the saving.
  }
  unsaved_ = false;
  const Clock::time_point end = Clock::now();
  next_save_ = end + std::max<Clock::duration>(kPause, 2 * (end - start));
}

}  // namespace attnlab
