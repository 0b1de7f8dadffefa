#include "attention/blocked.h"

#include <algorithm>

#include "attention/scaling.h"

namespace attnlab {
namespace {

constexpr std::int64_t kMostTiles = 8;
constexpr std::int64_t kGroupBytes = 256 * 1024;
constexpr std::int64_t kGroupsPerThread = 4;

}  // namespace

AttendJob attend_job(const Problem& problem) {
  const ScoreScale scale = score_scale(problem);
  // Under an additive mask scores must be complete before the mask is added; otherwise the last
  // factor is left to the exponential.
  const bool additive = problem.mask.kind == MaskKind::kAdditive;
  return {.d = problem.head_dim,
          .dv = problem.head_dim_v,
          .dtype = problem.dtype,
          .query_factor = static_cast<float>(scale.power),
          .score_factor = additive ? static_cast<float>(scale.rest) : 1.0f,
          .exponent = exponent_factor(problem, additive ? 1 : scale.rest),
          .argmax = problem.temperature == 0,
          .mask = problem.mask.kind,
          .left_out = problem.left_out};
}

AttendRows group_rows(const Operands& operands, const QueryGroup& group) {
  AttendRows out{.q = operands.q.row(group.b, group.h, group.first),
                 .q_stride = operands.q.stride[2] * group.step,
                 .o = nullptr,
                 .o_stride = operands.o.stride[2] * group.step,
                 .count = group.count};
  if (operands.o.dtype == Dtype::kBf16) {
    out.rounded = operands.o.row_as<Bf16>(group.b, group.h, group.first);
  } else {
    out.o = operands.o.row_as<float>(group.b, group.h, group.first);
  }
  return out;
}

KeyRun key_run(const Problem& problem, const Operands& operands, const QueryGroup& group,
               std::int64_t first, std::int64_t count, const Band& band, std::int64_t step) {
  const std::int64_t kv_head = problem.kv_head(group.h);
  KeyRun run{.k = operands.k.row(group.b, kv_head, first),
             .v = operands.v.row(group.b, kv_head, first),
             .k_stride = operands.k.stride[2] * step,
             .v_stride = operands.v.stride[2] * step,
             .count = count,
             .band = band};
  const MaskView& mask = operands.mask;
  if (mask.kind == MaskKind::kNone) return run;
  const std::int64_t offset = group.b * mask.stride[0] + group.h * mask.stride[1] +
                              group.first * mask.stride[2] + first * mask.stride[3];
  run.mask =
      static_cast<const std::byte*>(mask.data) + offset * (mask.kind == MaskKind::kBoolean ? 1 : 4);
  run.mask_row_stride = mask.stride[2] * group.step;
  run.mask_key_stride = mask.stride[3] * step;
  return run;
}

int useful_workers(double multiply_adds) {
  constexpr double kPerWorker = 1 << 17, kMany = 1 << 20;
  return static_cast<int>(std::clamp(multiply_adds / kPerWorker, 1.0, kMany));
}

std::int64_t rows_per_group(const AttendEngine& engine, const AttendJob& job, std::int64_t rows,
                            std::int64_t heads, int threads) {
  const std::int64_t tile = engine.tile_queries;
  const std::int64_t tiles = (rows + tile - 1) / tile;
  const std::int64_t tile_bytes = (job.d + job.dv) * tile * 4;
  const std::int64_t fitting = std::clamp<std::int64_t>(kGroupBytes / tile_bytes, 1, kMostTiles);
  const std::int64_t wanted_groups = kGroupsPerThread * threads;
  const std::int64_t spread = std::max<std::int64_t>(heads * tiles / wanted_groups, 1);
  return std::min({fitting, spread, tiles}) * tile;
}

}  // namespace attnlab
