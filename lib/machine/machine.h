// What this machine is: processor, caches, and how much of it this process may use.
#ifndef ATTNLAB_MACHINE_MACHINE_H_
#define ATTNLAB_MACHINE_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnlab {

struct Cache {
  int level = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  std::int64_t bytes = 0;
  int shared_by = 1;  // logical CPUs
};

struct Machine {
  std::string cpu;                   // model name
  int logical_cpus = 1;              // online
  std::vector<int> affinity;         // CPUs this process may run on
  std::optional<double> quota;       // CPUs' worth of time that its cgroup allows
  std::string governor;              // of CPU 0; "" where the kernel does not say
  std::vector<Cache> caches;         // of CPU 0
  std::int64_t memory_bytes = 0;     // installed
  std::int64_t available_bytes = 0;  // what a new allocation may take, cgroup limit included
  std::optional<std::int64_t> memory_limit_bytes;  // of the cgroup
  double load = 0;                                 // average of the last minute
  std::string kernel;                              // "Linux 6.1.0"
};

// Read afresh from /proc, /sys and the scheduler; what cannot be read stays empty.
Machine read_machine();

// The number of threads that "auto" means: the smaller of affinity and quota, at least 1.
int usable_threads(const Machine& machine);

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_MACHINE_H_
