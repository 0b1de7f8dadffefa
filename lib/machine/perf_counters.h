// The counters that processor and kernel keep of a program: cycles, instructions, cache misses,
// page faults; by perf_event_open(2), where the machine allows it.
#ifndef ATTNLAB_MACHINE_PERF_COUNTERS_H_
#define ATTNLAB_MACHINE_PERF_COUNTERS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

class PerfCounters {
 public:
  // Opens what can be opened, for this thread and for the threads that it starts from now on. An
  // event that cannot be counted here is in absent().
  PerfCounters();
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  struct Count {
    std::string_view name;  // as `perf stat` calls it
    double value;           // since start(); estimated where the processor took turns
  };
  void start();
  std::vector<Count> counts() const;

  struct Absent {
    std::string_view name;
    std::string reason;
  };
  const std::vector<Absent>& absent() const { return absent_; }

 private:
  struct Reading {
    std::uint64_t value = 0, enabled = 0, running = 0;
  };
  struct Open {
    std::string_view name;
    int file;
    Reading start;
  };
  static Reading read(int file);

  std::vector<Open> open_;
  std::vector<Absent> absent_;
};

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_PERF_COUNTERS_H_
