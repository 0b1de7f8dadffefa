// --resume: takes over what an interrupted run left in its folder.
#ifndef ATTNLAB_APP_RESUME_H_
#define ATTNLAB_APP_RESUME_H_

#include <string>

#include "report/result.h"

namespace attnlab {

// Moves the rows, notes, expectations and status of the document at `path` into `result`, which is
// empty and carries the provenance of this run; its points say how many are done. Nothing changes
// when there is no such file. UserError when it is no result, or was made by another config, build,
// machine or number of threads: every difference is named.
void take_over(const std::string& path, Result& result);

}  // namespace attnlab

#endif  // ATTNLAB_APP_RESUME_H_
