// --runs: a point measured by fresh processes of this program, whose samples differ in what is
// drawn once a process: where memory lies, which core a thread starts on, how warm the machine is.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/watch.h"
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

// Runs a process of settings.runs that measures the point, and returns its document. Throws
// RunError when it gives none.
std::string run_sweep_process(const ParameterList& parameters, const SweepSettings& settings,
                              const SweepPoint& point, std::int64_t process, double allowed_bytes,
                              const Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
