// Dense attention with online softmax over blocks of keys; scores are never stored beyond a block.
// Dao, FlashAttention-2, 2023, Algorithm 1; the group of queries is the outer loop, so that the
// output is written once and groups are independent.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// With the engines of bf16.h, in products of bfloat16.
// Keys beyond what causality allows a whole group are not touched. Workspace does not grow with
// the number of queries or keys.
#include "attention/kernels/flash.h"

#include <algorithm>

#include "attention/blocked.h"
#include "attention/kernels/add_kernels.h"
#include "attention/kernels/supports.h"
#include "attention/simd/bf16.h"

namespace attnlab {
namespace {

struct Plan {
  AttendJob job;
  std::int64_t group_rows, groups, scratch_bytes;

  Plan(const AttendEngine& engine, const Problem& problem, int threads)
      : job(attend_job(problem)),
        group_rows(rows_per_group(engine, job, problem.nq, problem.batch * problem.heads, threads)),
        groups((problem.nq + group_rows - 1) / group_rows),
        scratch_bytes(engine.scratch_bytes(job, std::min(group_rows, problem.nq))) {}
};

void run(const AttendEngine& engine, const Problem& problem, const Operands& operands,
         std::span<std::byte> workspace, ThreadTeam& team) {
  const Plan plan(engine, problem, team.threads());
  const std::int64_t heads = problem.batch * problem.heads;
  const double pairs = static_cast<double>(heads) * static_cast<double>(problem.nq) *
                       static_cast<double>(problem.nk) *
                       (problem.causal == Causal::kNone ? 1 : 0.5);
  const auto channels = static_cast<double>(problem.head_dim + problem.head_dim_v);
  // Causal groups near the end see the most keys: they go first, so that the team ends together.
  run_groups(
      heads * plan.groups, workspace, plan.scratch_bytes, team,
      [&](std::int64_t task, std::byte* scratch) {
        const std::int64_t head = task % heads;
        const std::int64_t first = (plan.groups - 1 - task / heads) * plan.group_rows;
        const QueryGroup group{head / problem.heads, head % problem.heads, first,
                               std::min(plan.group_rows, problem.nq - first)};
        const Band band = problem.causal == Causal::kNone
                              ? Band{.low = 0, .high = problem.nk}
                              : Band{.low = 0, .high = first + problem.shift() + 1, .high_step = 1};
        const KeyRun keys = key_run(problem, operands, group, 0, problem.nk, band);
        engine.attend(plan.job, group_rows(operands, group), {&keys, 1}, scratch);
      },
      useful_workers(pairs * channels));
}

}  // namespace

Kernel flash_kernel(const AttendEngine& engine) {
  const bool rounds = engine.products == Dtype::kBf16;
  return {.name = "flash",
          .isa = engine.isa,
          .op = Operator::kDense,
          .summary = rounds ? "the same, q, k, v and weights rounded to bf16 to be multiplied"
                            : "tiled, online softmax, scores never stored",
          .source = "Dao 2023 (FlashAttention-2), Algorithm 1",
          .memory = "constant: a tile of scores and sums for each thread",
          .stages = kAttendStages,
          .products = engine.products,
          .supports =
              [&engine](const Problem& problem, std::string* why_not) {
                return supports_operator(
                    problem, Operator::kDense, why_not,
                    {.stages = kAttendStages, .bf16_output = true, .products = engine.products});
              },
          .workspace =
              [&engine](const Problem& problem, int threads) {
                return Plan(engine, problem, threads).scratch_bytes * threads;
              },
          .prepare = nullptr,
          .run = [&engine](const Problem& problem, const Operands& operands,
                           std::span<std::byte> workspace,
                           ThreadTeam& team) { run(engine, problem, operands, workspace, team); }};
}

void add_flash_kernels(std::vector<Kernel>& out) {
  for (const AttendEngine& engine : attend_engines()) out.push_back(flash_kernel(engine));
  for (const AttendEngine& engine : bf16_engines()) out.push_back(flash_kernel(engine));
}

}  // namespace attnlab
