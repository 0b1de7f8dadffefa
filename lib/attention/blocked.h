// What the blocked softmax kernels share: which queries form a group, where its keys lie, how the
// groups are spread over a team. The arithmetic is simd/attend.h's.
#ifndef ATTNLAB_ATTENTION_BLOCKED_H_
#define ATTNLAB_ATTENTION_BLOCKED_H_

#include <cstdint>
#include <limits>
#include <span>

#include "attention/operands.h"
#include "attention/simd/attend.h"
#include "machine/denormals.h"
#include "machine/thread_team.h"

namespace attnlab {

AttendJob attend_job(const Problem& problem);

// Queries first, first + step, ... (count of them) of head h of batch element b.
struct QueryGroup {
  std::int64_t b, h, first, count;
  std::int64_t step = 1;
};

AttendRows group_rows(const Operands& operands, const QueryGroup& group);

// Keys first, first + step, ... (count of them) as that group sees them. The band is in keys of the
// run.
KeyRun key_run(const Problem& problem, const Operands& operands, const QueryGroup& group,
               std::int64_t first, std::int64_t count, const Band& band, std::int64_t step = 1);

// Rows of a group: several tiles share each block of keys while their state fits the second-level
// cache, and there are enough groups to keep the team busy to the end.
std::int64_t rows_per_group(const AttendEngine& engine, const AttendJob& job, std::int64_t rows,
                            std::int64_t heads, int threads);

// Workers that shorten the work: one for every 131,072 multiply-adds, about 5 microseconds on AVX2.
// Two workers that are awake gain from twice as many on, as measured; to wake a sleeping one costs
// the caller some 20 microseconds.
int useful_workers(double multiply_adds);

// Calls body(task, scratch) for each task, with scratch_bytes of the workspace for each thread; by
// that many workers at most.
template <class Body>
void run_groups(std::int64_t tasks, std::span<std::byte> workspace, std::int64_t scratch_bytes,
                ThreadTeam& team, Body&& body, int workers = std::numeric_limits<int>::max()) {
  team.run(
      tasks,
      [&](std::int64_t task, int worker) {
        const FlushDenormals flush;
        body(task, workspace.data() + scratch_bytes * worker);
      },
      workers);
}

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_BLOCKED_H_
