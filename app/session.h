// One run from a settled plan to its exit code: limits, output, progress, printing.
#ifndef ATTNLAB_APP_SESSION_H_
#define ATTNLAB_APP_SESSION_H_

#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/plan.h"

namespace attnlab {

// `line` is the command line, for the provenance. `writes_folder`: without -o, files go to
// results/<name>.
ExitCode run_session(Plan plan, const OutputFlags& output, const RunFlags& flags,
                     const std::vector<std::string>& line, bool writes_folder);

}  // namespace attnlab

#endif  // ATTNLAB_APP_SESSION_H_
