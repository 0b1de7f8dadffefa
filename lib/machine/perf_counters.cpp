#include "machine/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace attnlab {
namespace {

struct Event {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t cache_event(std::uint64_t cache) {  // misses of reads
  return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8) |
         (std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16);
}

constexpr Event kEvents[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_L1D)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, cache_event(PERF_COUNT_HW_CACHE_DTLB)},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

int open_event(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.inherit = 1;
  // Most machines forbid users to count what the system does; switching threads is all its doing.
  attributes.exclude_kernel =
      event.type != PERF_TYPE_SOFTWARE || event.config == PERF_COUNT_SW_PAGE_FAULTS;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

std::string reason_of(int error) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return "the processor, or the virtual machine, does not count it";
  }
  if (error == EACCES || error == EPERM) {
    return "the system does not allow it (/proc/sys/kernel/perf_event_paranoid)";
  }
  if (error == ENOSYS) return "the system has no perf_event_open";
  return std::strerror(error);
}

}  // namespace

PerfCounters::PerfCounters() {
  for (const Event& event : kEvents) {
    const int file = open_event(event);
    if (file < 0) {
      absent_.push_back({event.name, reason_of(errno)});
    } else {
      open_.push_back({event.name, file, {}});
    }
  }
}

PerfCounters::~PerfCounters() {
  for (const Open& event : open_) close(event.file);
}

PerfCounters::Reading PerfCounters::read(int file) {
  Reading out;
  static_assert(sizeof out == 24);  // as the kernel writes it
  if (::read(file, &out, sizeof out) != static_cast<ssize_t>(sizeof out)) return {};
  return out;
}

void PerfCounters::start() {
  for (Open& event : open_) event.start = read(event.file);
}

std::vector<PerfCounters::Count> PerfCounters::counts() const {
  std::vector<Count> out;
  for (const Open& event : open_) {
    const Reading now = read(event.file);
    const auto ran = static_cast<double>(now.running - event.start.running);
    const auto enabled = static_cast<double>(now.enabled - event.start.enabled);
    const auto value = static_cast<double>(now.value - event.start.value);
    out.push_back({event.name, ran > 0 ? value * enabled / ran : 0});
  }
  return out;
}

}  // namespace attnlab
