// Attention to the last `stride` keys and to every stride-th one; n^1.5 when stride is sqrt(n).
// Child, Gray, Radford, Sutskever, Generating Long Sequences with Sparse Transformers, 2019,
// section 4.3, both parts of the pattern in one head (section 4.5, "merged").
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// In two passes: the window, as in `window`; then the queries and keys of one remainder modulo
// stride form a dense problem of their own, which continues the sums of the first pass. Between
// them o holds unnormalised sums; the workspace holds two numbers a query.
#include <algorithm>

#include "attention/blocked.h"
#include "attention/kernels/add_kernels.h"
#include "attention/kernels/supports.h"

namespace attnlab {
namespace {

struct Plan {
  AttendJob job;
  std::int64_t stride, heads;
  std::int64_t near_rows, near_groups;      // of a group; of a head
  std::int64_t far_rows, far_groups;        // of a group; of a remainder
  std::int64_t scratch_bytes, stats_bytes;  // of a thread; of the largest scores and the sums

  Plan(const AttendEngine& engine, const Problem& p, int threads)
      : job(attend_job(p)),
        // A stride past the number of positions leaves each remainder at most one of them.
        stride(std::min(p.effective_stride(), std::max(p.nq, p.nk))),
        heads(p.batch * p.heads) {
    near_rows = rows_per_group(engine, job, p.nq, heads, threads);
    near_groups = (p.nq + near_rows - 1) / near_rows;
    const std::int64_t most = (p.nq + stride - 1) / stride;  // queries of one remainder
    far_rows = rows_per_group(engine, job, most, heads * stride, threads);
    far_groups = (most + far_rows - 1) / far_rows;
    scratch_bytes = engine.scratch_bytes(job, std::min(std::max(near_rows, far_rows), p.nq));
    stats_bytes = aligned_bytes(heads * p.nq * 4);
  }
  std::int64_t bytes(int threads) const { return scratch_bytes * threads + 2 * stats_bytes; }
};

class Strided {
 public:
  Strided(const AttendEngine& engine, const Problem& problem, const Operands& operands,
          std::span<std::byte> workspace, int threads)
      : engine_(engine), p_(problem), operands_(operands), plan_(engine, problem, threads) {
    Carver carver(workspace.subspan(static_cast<std::size_t>(plan_.scratch_bytes * threads)));
    largest_ = carver.take<float>(plan_.heads * p_.nq);
    sums_ = carver.take<float>(plan_.heads * p_.nq);
  }

  void near(std::int64_t task, std::byte* scratch) const {
    const std::int64_t head = task % plan_.heads;
    const std::int64_t first = task / plan_.heads * plan_.near_rows;
    const QueryGroup group{head / p_.heads, head % p_.heads, first,
                           std::min(plan_.near_rows, p_.nq - first)};
    const std::int64_t position = first + p_.shift();
    const Band band{.low = position - plan_.stride + 1,
                    .high = causal() ? position + 1 : position + plan_.stride,
                    .low_step = 1,
                    .high_step = 1};
    AttendRows rows = rows_with_state(group);
    rows.suspend = true;
    const KeyRun keys = key_run(p_, operands_, group, 0, p_.nk, band);
    engine_.attend(plan_.job, rows, {&keys, 1}, scratch);
  }

  // Queries at positions remainder, remainder + stride, ... and the keys there.
  void far(std::int64_t task, std::byte* scratch) const {
    const std::int64_t stride = plan_.stride;
    const std::int64_t head = task % plan_.heads;
    const std::int64_t remainder = task / plan_.heads % stride;
    const std::int64_t group_index = task / plan_.heads / stride;
    const std::int64_t shift = p_.shift();
    const std::int64_t first_query = ((remainder - shift) % stride + stride) % stride;
    const std::int64_t queries = (p_.nq - first_query + stride - 1) / stride;
    const std::int64_t skipped = group_index * plan_.far_rows;
    if (skipped >= queries) return;
    const QueryGroup group{head / p_.heads, head % p_.heads, first_query + skipped * stride,
                           std::min(plan_.far_rows, queries - skipped), stride};
    const std::int64_t keys = remainder < p_.nk ? (p_.nk - remainder + stride - 1) / stride : 0;
    // The group's first query stands at this key of the remainder's; below 0 before the first.
    const std::int64_t own = (group.first + shift - remainder) / stride;
    // Its own key was in the window: keys before it and, without causality, keys after it.
    const Band bands[] = {{.low = 0, .high = own, .low_step = 0, .high_step = 1},
                          {.low = own + 1, .high = keys, .low_step = 1, .high_step = 0}};
    KeyRun runs[2];
    for (int i = 0; i < 2 && keys > 0; ++i) {
      runs[i] = key_run(p_, operands_, group, remainder, keys, bands[i], stride);
    }
    AttendRows rows = rows_with_state(group);
    rows.resume = true;
    const std::size_t count = keys == 0 ? 0 : causal() ? 1 : 2;
    engine_.attend(plan_.job, rows, {runs, count}, scratch);
  }

  const Plan& plan() const { return plan_; }

 private:
  bool causal() const { return p_.causal != Causal::kNone; }

  AttendRows rows_with_state(const QueryGroup& group) const {
    AttendRows rows = group_rows(operands_, group);
    const std::int64_t row = (group.b * p_.heads + group.h) * p_.nq + group.first;
    rows.largest = largest_ + row;
    rows.sums = sums_ + row;
    rows.stat_stride = group.step;
    return rows;
  }

  const AttendEngine& engine_;
  const Problem& p_;
  const Operands& operands_;
  Plan plan_;
  float* largest_;
  float* sums_;
};

void run(const AttendEngine& engine, const Problem& problem, const Operands& operands,
         std::span<std::byte> workspace, ThreadTeam& team) {
  const Strided strided(engine, problem, operands, workspace, team.threads());
  const Plan& plan = strided.plan();
  run_groups(plan.heads * plan.near_groups, workspace, plan.scratch_bytes, team,
             [&](std::int64_t task, std::byte* scratch) { strided.near(task, scratch); });
  run_groups(plan.heads * plan.stride * plan.far_groups, workspace, plan.scratch_bytes, team,
             [&](std::int64_t task, std::byte* scratch) { strided.far(task, scratch); });
}

}  // namespace

void add_strided_kernels(std::vector<Kernel>& out) {
  for (const AttendEngine& engine : attend_engines()) {
    out.push_back(
        {.name = "strided",
         .isa = engine.isa,
         .op = Operator::kStrided,
         .summary = "the last stride keys and every stride-th one, n^1.5",
         .source = "Child et al. 2019 (Sparse Transformers), section 4.3",
         .memory = "two numbers a query and head, and a tile for each thread",
         .stages = kAttendStages,
         .supports =
             [](const Problem& problem, std::string* why_not) {
               return supports_operator(problem, Operator::kStrided, why_not,
                                        {.stages = kAttendStages});
             },
         .workspace = [&engine](
                          const Problem& problem,
                          int threads) { return Plan(engine, problem, threads).bytes(threads); },
         .prepare = nullptr,
         .run = [&engine](const Problem& problem, const Operands& operands,
                          std::span<std::byte> workspace,
                          ThreadTeam& team) { run(engine, problem, operands, workspace, team); }});
  }
}

}  // namespace attnlab
