#include "attention/window_groups.h"

#include <algorithm>
#include <array>

#include "attention/blocked.h"
#include "attention/kernels/supports.h"
#include "attention/pattern.h"

namespace attnlab {
namespace {

// Queries [0, ordinary) of a head are global (or, when causal, come before the first key and see
// nothing); the others see a window. Both are cut into groups.
struct Plan {
  const Problem& problem;
  Operator op;
  AttendJob job;
  std::int64_t ordinary;
  std::int64_t global_rows, window_rows;      // of a group
  std::int64_t global_groups, window_groups;  // of a head
  std::int64_t first_block = 0;               // bigbird: the block of 64 that `ordinary` is in
  std::int64_t scratch_bytes;

  Plan(const AttendEngine& engine, const Problem& p, Operator o, int threads)
      : problem(p), op(o), job(attend_job(p)) {
    const std::int64_t heads = p.batch * p.heads;
    ordinary = std::clamp<std::int64_t>(p.global_tokens - p.shift(), 0, p.nq);
    global_rows = rows_per_group(engine, job, ordinary, heads, threads);
    global_groups = ordinary == 0 ? 0 : (ordinary + global_rows - 1) / global_rows;
    const std::int64_t rest = p.nq - ordinary;
    if (op == Operator::kBigBird) {
      window_rows = kBigBirdBlock;
      first_block = ordinary / kBigBirdBlock;
      window_groups = rest == 0 ? 0 : (p.nq + kBigBirdBlock - 1) / kBigBirdBlock - first_block;
    } else {
      window_rows = rows_per_group(engine, job, rest, heads, threads);
      window_groups = rest == 0 ? 0 : (rest + window_rows - 1) / window_rows;
    }
    scratch_bytes = engine.scratch_bytes(job, std::min(std::max(global_rows, window_rows), p.nq));
  }

  // Group number `index` of a head: the global ones, which see the most keys, come first.
  QueryGroup group(std::int64_t head, std::int64_t index) const {
    std::int64_t first, end;
    if (index < global_groups) {
      first = index * global_rows;
      end = std::min(first + global_rows, ordinary);
    } else if (op == Operator::kBigBird) {
      const std::int64_t block = first_block + index - global_groups;
      first = std::max(block * kBigBirdBlock, ordinary);
      end = std::min((block + 1) * kBigBirdBlock, problem.nq);
    } else {
      first = ordinary + (index - global_groups) * window_rows;
      end = std::min(first + window_rows, problem.nq);
    }
    return {head / problem.heads, head % problem.heads, first, end - first};
  }
};

using Runs = std::array<KeyRun, kMaxRandomBlocks + 2>;

// The runs of keys that a group sees; returns how many.
std::size_t runs_of(const Plan& plan, const Operands& operands, const QueryGroup& group,
                    Runs& runs) {
  const Problem& p = plan.problem;
  const bool causal = p.causal != Causal::kNone;
  const std::int64_t position = group.first + p.shift();
  std::size_t count = 0;
  const auto add = [&](std::int64_t first, std::int64_t keys, Band band) {
    // The band so far is in keys of the head.
    band.low -= first;
    band.high -= first;
    runs[count++] = key_run(p, operands, group, first, keys, band);
  };
  const Band everything{
      .low = 0, .high = causal ? position + 1 : p.nk, .low_step = 0, .high_step = causal ? 1 : 0};
  if (group.first < plan.ordinary) {
    add(0, p.nk, everything);
    return count;
  }
  const std::int64_t global = std::min(p.global_tokens, p.nk);
  if (global > 0) add(0, global, everything);
  if (global < p.nk) {
    add(global, p.nk - global,
        {.low = position - p.window + 1,
         .high = causal ? position + 1 : position + p.window,
         .low_step = 1,
         .high_step = 1});
  }
  if (plan.op == Operator::kBigBird) {
    const RandomBlocks blocks = random_key_blocks(p, group.h, group.first / kBigBirdBlock);
    for (std::size_t b = 0; b < static_cast<std::size_t>(blocks.count); ++b) {
      const std::int64_t first = blocks.index[b] * kBigBirdBlock;
      const std::int64_t keys = std::min(kBigBirdBlock, p.nk - first);
      add(first, keys, {.low = first, .high = first + keys});
    }
  }
  return count;
}

}  // namespace

Kernel window_groups_kernel(const AttendEngine& engine, Kernel entry) {
  const Operator op = entry.op;
  entry.stages = kAttendStages;
  entry.supports = [op](const Problem& problem, std::string* why_not) {
    return supports_operator(problem, op, why_not, {.stages = kAttendStages});
  };
  entry.workspace = [&engine, op](const Problem& problem, int threads) {
    return Plan(engine, problem, op, threads).scratch_bytes * threads;
  };
  entry.run = [&engine, op](const Problem& problem, const Operands& operands,
                            std::span<std::byte> workspace, ThreadTeam& team) {
    const Plan plan(engine, problem, op, team.threads());
    const std::int64_t heads = problem.batch * problem.heads;
    const std::int64_t groups = plan.global_groups + plan.window_groups;
    run_groups(
        heads * groups, workspace, plan.scratch_bytes, team,
        [&](std::int64_t task, std::byte* scratch) {
          const QueryGroup group = plan.group(task % heads, task / heads);
          Runs runs;
          const std::size_t count = runs_of(plan, operands, group, runs);
          engine.attend(plan.job, group_rows(operands, group), {runs.data(), count}, scratch);
        });
  };
  return entry;
}

}  // namespace attnlab
