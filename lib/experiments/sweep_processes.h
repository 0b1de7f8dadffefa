// --runs: a point measured by fresh processes of this program, whose samples differ in what is
// drawn once a process: where memory lies, which core a thread starts on, how warm the machine is.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/sweep_measure.h"

namespace attnlab {

// Which of the processes of --runs this one is; nullopt in a process that users start.
std::optional<std::int64_t> sweep_process();

// The command line of a process that measures this point alone, once.
std::vector<std::string> process_arguments(const ParameterList& parameters,
                                           const SweepSettings& settings, const SweepPoint& point,
                                           double allowed_bytes);

// Adds what a process found, a result document, to the rows; those of the first process are taken
// as they are. Throws RunError when the document does not have the rows of these kernels.
void merge_rows(const std::string& document, const std::vector<SweepKernel>& kernels,
                std::vector<SweepRow>& rows);

// The rows of a point from settings.runs processes, one after the other. Incomplete when the watch
// says stopped. Throws RunError when a process fails.
std::vector<SweepRow> measure_in_processes(const ParameterList& parameters,
                                           const SweepSettings& settings, const SweepPoint& point,
                                           const std::vector<SweepKernel>& kernels,
                                           double allowed_bytes, Watch& watch);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_PROCESSES_H_
