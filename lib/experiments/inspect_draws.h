// How words fare under other seeds: whether the one that was shown is a typical draw.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_DRAWS_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_DRAWS_H_

#include <vector>

#include "base/watch.h"
#include "experiments/inspect_settings.h"
#include "machine/thread_team.h"
#include "report/table.h"

namespace attnlab {

// Draws the words with the seeds that follow settings.seed, settings.draws of them, and adds the
// row of the point to table `draws`. Meaningless once the watch says stopped.
void run_inspect_draws(const InspectSettings& settings, const InspectPoint& point, ThreadTeam& team,
                       Watch& watch, std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_DRAWS_H_
