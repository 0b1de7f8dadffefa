// Runs a program and collects what it prints.
#ifndef ATTNLAB_MACHINE_PROCESS_H_
#define ATTNLAB_MACHINE_PROCESS_H_

#include <string>
#include <utility>
#include <vector>

#include "base/watch.h"

namespace attnlab {

struct ProcessResult {
  int exit_code = -1;  // 128 + the signal's number for one that a signal ended
  std::string output;  // its standard output
  std::string errors;  // its standard error
};

// Waits for the end of `program` with those arguments (without its own name) and those variables
// set beside the environment of this process, in `folder` if it is named; standard input is empty.
// A program that still runs when the watch says stopped, or when this process dies, gets SIGTERM.
// Throws RunError when it cannot be started.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& variables,
                          const Watch& watch, const std::string& folder = "");

// The path of the program that runs.
std::string own_program();

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_PROCESS_H_
