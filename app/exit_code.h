// What the process returns: the one place where an outcome becomes a number.
#ifndef ATTNLAB_APP_EXIT_CODE_H_
#define ATTNLAB_APP_EXIT_CODE_H_

namespace attnlab {

enum class ExitCode {
  kDone = 0,           // and every expectation held; also a closed pipe
  kFailed = 1,         // an expectation, a check or a comparison failed; a row failed
  kBadInput = 2,       // flag, config, file
  kRunFailed = 3,      // input or output, no space, out of memory
  kNothingFits = 4,    // no point could run: each needs more memory than allowed
  kInconclusive = 5,   // a comparison, with --fail-on inconclusive
  kNotComparable = 6,  // another machine, build or settings
  kInterrupted = 130,  // SIGINT
  kTerminated = 143,   // SIGTERM
};

// The code of a run that a signal ended.
ExitCode code_of_signal(int signal);

// Prints the error that is being handled to stderr and returns its code. Call within a catch block.
ExitCode report_current_error(bool color);

}  // namespace attnlab

#endif  // ATTNLAB_APP_EXIT_CODE_H_
