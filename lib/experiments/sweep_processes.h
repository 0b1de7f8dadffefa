// --runs: a point measured by fresh processes of this program, whose samples differ in what is
// drawn once a process: where memory lies, which core a thread starts on, how warm the machine is.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/sweep_measure.h"

namespace attnlab {

// Which of the processes of --runs this one is, and how many they are.
struct SweepProcess {
  std::int64_t index = 0, count = 1;
};
std::optional<SweepProcess> sweep_process();  // nullopt in a process that users start

// The command line of a process that measures this point alone, once.
std::vector<std::string> process_arguments(const ParameterList& parameters, const SweepPoint& point,
                                           double allowed_bytes);

// Adds what a process found, a result document, to the rows; those of the first process are taken
// as they are. Throws RunError, and leaves the rows as they were, when the document does not have
// the rows of these kernels.
void merge_rows(const std::string& document, const std::vector<SweepKernel>& kernels,
                std::vector<SweepRow>& rows);

// The rows of a point from `count` processes, one after the other; `run` starts one and returns its
// document. Incomplete when the watch says stopped. An error of the first process is thrown. One of
// a later process ends the point: its rows are "failed" and keep what was delivered before.
std::vector<SweepRow> merge_processes(std::int64_t count, const std::vector<SweepKernel>& kernels,
                                      const std::function<std::string(std::int64_t process)>& run,
                                      Watch& watch);

// The same from settings.runs processes of this program.
std::vector<SweepRow> measure_in_processes(const ParameterList& parameters,
                                           const SweepSettings& settings, const SweepPoint& point,
                                           const std::vector<SweepKernel>& kernels,
                                           double allowed_bytes, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
