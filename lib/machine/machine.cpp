#include "machine/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The text after "key :" or "key:" in a file of such lines; "" when there is none.
std::string value_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::int64_t bytes_in_meminfo(std::string_view key) {
  std::istringstream text(value_after("/proc/meminfo", key));
  std::int64_t kib = 0;
  text >> kib;
  return kib * 1024;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
  }
  return out;
}

// The folders of this process's cgroup and of those above it, for version 2 ("0::/a/b") or one
// controller of version 1 ("4:memory:/a/b"). A limit of any of them holds.
std::vector<std::string> cgroup_folders(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() != 3) continue;
    const std::vector<std::string> names = split(parts[1], ',');
    const bool version2 = parts[0] == "0" && parts[1].empty();
    if (!version2 && std::find(names.begin(), names.end(), controller) == names.end()) continue;
    const std::string root = "/sys/fs/cgroup" + (version2 ? "" : "/" + std::string(controller));
    for (std::string path = parts[2];; path = path.substr(0, path.rfind('/'))) {
      out.push_back(root + (path == "/" ? "" : path));
      if (path.empty() || path == "/") break;
    }
  }
  return out;
}

std::optional<double> cpu_quota() {
  std::optional<double> least;
  const auto keep = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = std::min(least.value_or(quota / period), quota / period);
  };
  for (const std::string& folder : cgroup_folders("cpu")) {
    std::istringstream both(first_line(folder + "/cpu.max"));
    std::string quota;
    double period = 0;
    if (both >> quota >> period) keep(number_from_text(quota).value_or(0), period);
    const auto quota1 = number_from_text(first_line(folder + "/cpu.cfs_quota_us"));
    const auto period1 = number_from_text(first_line(folder + "/cpu.cfs_period_us"));
    if (quota1 && period1) keep(*quota1, *period1);
  }
  return least;
}

struct MemoryLimit {
  std::optional<std::int64_t> bytes, free_bytes;
};

MemoryLimit memory_limit() {
  constexpr std::int64_t kNone = std::int64_t{1} << 60;  // version 1 writes a huge number for none
  MemoryLimit out;
  for (const std::string& folder : cgroup_folders("memory")) {
    auto limit = integer_from_text(first_line(folder + "/memory.max"));
    auto used = integer_from_text(first_line(folder + "/memory.current"));
    if (!limit) limit = integer_from_text(first_line(folder + "/memory.limit_in_bytes"));
    if (!used) used = integer_from_text(first_line(folder + "/memory.usage_in_bytes"));
    if (!limit || *limit >= kNone) continue;
    out.bytes = std::min(out.bytes.value_or(*limit), *limit);
    const std::int64_t left = std::max<std::int64_t>(0, *limit - used.value_or(0));
    out.free_bytes = std::min(out.free_bytes.value_or(left), left);
  }
  return out;
}

std::vector<Cache> caches_of_cpu0() {
  std::vector<Cache> out;
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string size = first_line(folder + "size");  // "512K"
    if (size.empty()) return out;
    const auto kib = integer_from_text(size.substr(0, size.size() - 1));
    int shared = 0;
    for (const char c : first_line(folder + "shared_cpu_map")) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
      shared += __builtin_popcount(static_cast<unsigned>(digit));
    }
    out.push_back({std::atoi(first_line(folder + "level").c_str()), first_line(folder + "type"),
                   kib.value_or(0) * 1024, std::max(1, shared)});
  }
}

}  // namespace

Machine read_machine() {
  Machine out;
  out.cpu = value_after("/proc/cpuinfo", "model name");
  if (out.cpu.empty()) out.cpu = value_after("/proc/cpuinfo", "CPU part");
  out.logical_cpus = static_cast<int>(std::max<long>(1, sysconf(_SC_NPROCESSORS_ONLN)));
  out.affinity = allowed_cpus();
  out.quota = cpu_quota();
  out.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  out.caches = caches_of_cpu0();
  out.memory_bytes = bytes_in_meminfo("MemTotal");
  const MemoryLimit limit = memory_limit();
  out.memory_limit_bytes = limit.bytes;
  out.available_bytes = bytes_in_meminfo("MemAvailable");
  if (limit.free_bytes) out.available_bytes = std::min(out.available_bytes, *limit.free_bytes);
  if (double load = 0; getloadavg(&load, 1) == 1) out.load = load;
  if (utsname name{}; uname(&name) == 0)
    out.kernel = fmt::format("{} {}", name.sysname, name.release);
  return out;
}

int usable_threads(const Machine& machine) {
  const int cpus =
      machine.affinity.empty() ? machine.logical_cpus : static_cast<int>(machine.affinity.size());
  const int quota = machine.quota ? static_cast<int>(std::floor(*machine.quota + 0.01)) : cpus;
  return std::max(1, std::min(cpus, quota));
}

}  // namespace attnlab
