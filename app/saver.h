// Takes in the rows of a run and keeps the result on disk while it grows. With a folder to write
// to, a thread of its own does both, so that the run waits neither for the disk nor for the making
// of text.
#ifndef ATTNLAB_APP_SAVER_H_
#define ATTNLAB_APP_SAVER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/output.h"
#include "report/result.h"

namespace attnlab {

// What one point adds to the tables of its experiment.
struct PointRows {
  std::size_t first_table = 0;
  std::vector<std::vector<Row>> rows;           // one list a table
  std::vector<std::vector<std::string>> notes;  // likewise
};

class Saver {
 public:
  // Both outlive the saver; the output has been opened. From now on the result is changed only
  // through add() and under take().
  Saver(Output& output, Result& result);
  ~Saver();  // the result then holds every row
  Saver(const Saver&) = delete;
  Saver& operator=(const Saver&) = delete;

  // Adds the rows of one more point that is done.
  void add(PointRows rows);
  // Waits until the result holds all that was added; as long as the lock is held, result and output
  // belong to the caller.
  std::unique_lock<std::mutex> take();
  // Gives them back, to be saved as they are now.
  void give_back(std::unique_lock<std::mutex> held);

 private:
  void loop();
  void absorb(std::vector<PointRows>& batch, bool may_save);

  using Clock = std::chrono::steady_clock;
  Output& output_;
  Result& result_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::vector<PointRows> queue_;
  bool busy_ = false, unsaved_ = false, stopping_ = false;
  int waiting_ = 0;
  Clock::time_point next_save_{};
  std::thread thread_;
};

// Moves what a point added into the result.
void append_rows(PointRows& from, Result& result);

}  // namespace attnlab

#endif  // ATTNLAB_APP_SAVER_H_
