// Keeps the result on disk while it grows: a thread of its own writes it a few times a second, so
// that a crash loses little and the run never waits for the disk.
#ifndef ATTNLAB_APP_SAVER_H_
#define ATTNLAB_APP_SAVER_H_

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "app/output.h"
#include "report/result.h"

namespace attnlab {

class Saver {
 public:
  // Starts saving `result` to `output`; both outlive the saver. From now on the result may be
  // changed only under lock().
  Saver(Output& output, const Result& result);
  ~Saver();
  Saver(const Saver&) = delete;
  Saver& operator=(const Saver&) = delete;

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  void changed(std::unique_lock<std::mutex> held);  // releases the lock and asks for a save

 private:
  void loop();

  Output& output_;
  const Result& result_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool dirty_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_SAVER_H_
