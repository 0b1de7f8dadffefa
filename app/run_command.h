// `run` and the experiments' own commands: a plan in, results on stdout and on disk.
#ifndef ATTNLAB_APP_RUN_COMMAND_H_
#define ATTNLAB_APP_RUN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/plan.h"

namespace attnlab {

// The plans of several config files as one; `seed` replaces that of every experiment which has one.
Plan read_plans(const std::vector<std::string>& files, std::optional<std::int64_t> seed,
                std::vector<Mistake>& mistakes);

// Runs a settled plan. `writes_folder`: without -o, files go to results/<name>.
ExitCode run_plan_command(Plan plan, const Options& options,
                          const std::vector<std::string>& arguments, bool writes_folder);

// What --version says: everything a bug report needs.
std::string version_text();

}  // namespace attnlab

#endif  // ATTNLAB_APP_RUN_COMMAND_H_
