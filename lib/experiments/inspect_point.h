// One point of `inspect`: reads the heads of a layer group by group, and fills the tables.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_POINT_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_POINT_H_

#include <cstdint>
#include <vector>

#include "base/watch.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_settings.h"
#include "machine/thread_team.h"
#include "report/table.h"

namespace attnlab {

// The problem of a key head with its query heads at a point.
Problem group_problem(const InspectSettings& settings, const InspectPoint& point,
                      const OperandShape& shape, const MaskShape& mask);

// Whether a group is computed in float64 with whole rows: where that takes no time to speak of.
bool is_plain(const OperandShape& shape);

// Memory that a point takes at most, and seconds on one thread, roughly.
struct InspectNeeds {
  double bytes, seconds;
};
InspectNeeds inspect_needs(const InspectSettings& settings, const InspectPoint& point,
                           const OperandShape& shape, double mask_bytes);

// Adds the rows and notes of the point. Meaningless once the watch says stopped. Throws what the
// files throw.
void run_inspect_point(const InspectSettings& settings, const InspectPoint& point,
                       OperandSource& source, const MaskData& mask, bool is_first_of_data,
                       ThreadTeam& team, Watch& watch, std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_POINT_H_
