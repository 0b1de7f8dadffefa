#include "attention/feature_groups.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/draws.h"
#include "attention/kernels/supports.h"
#include "machine/denormals.h"

namespace attnlab {
namespace {

constexpr std::int64_t kLeastChunk = 512;
constexpr std::int64_t kMostChunks = 16;

// Keys are cut into chunks that depend on their number alone. State c + 1 of a summing head sums
// the keys of chunk c, then those of all chunks up to it; state 0 sums none.
struct Plan {
  const Problem& problem;
  FeatureJob job;
  bool causal;
  std::int64_t chunk_keys, chunks;
  std::int64_t state_heads;      // of the whole batch
  std::int64_t heads_per_state;  // query heads that share one
  std::int64_t directions_bytes, state_bytes, scratch_bytes;

  Plan(const Problem& p, Operator op) : problem(p), causal(p.causal != Causal::kNone) {
    const bool performer = op == Operator::kPerformer;
    const double factor = performer ? std::sqrt(std::abs(p.effective_scale()) / p.temperature) : 1;
    const double sign = performer && p.effective_scale() < 0 ? -1 : 1;
    job = {.d = p.head_dim,
           .dv = p.head_dim_v,
           .features = performer ? p.features : p.head_dim,
           .dtype = p.dtype,
           .performer = performer,
           .query_factor = static_cast<float>(sign * factor),
           .key_factor = static_cast<float>(factor),
           .directions = nullptr};
    const std::int64_t share = (p.nk + kMostChunks - 1) / kMostChunks;
    chunk_keys = std::max(kLeastChunk, (share + kFeatureBlock - 1) / kFeatureBlock * kFeatureBlock);
    chunks = (p.nk + chunk_keys - 1) / chunk_keys;
    state_heads = p.batch * summing_heads(p);
    heads_per_state = p.heads / summing_heads(p);
    directions_bytes = performer ? aligned_bytes(job.d * job.feature_stride() * 4) : 0;
    Carver state;
    FeatureState::carve(job, state);
    state_bytes = state.used();
    scratch_bytes =
        feature_scratch_bytes(job, causal ? heads_per_state : 1) +
        aligned_bytes(heads_per_state * static_cast<std::int64_t>(sizeof(FeatureQueries)));
  }
  std::int64_t bytes(int threads) const {
    return directions_bytes + state_bytes * state_heads * (chunks + 1) + scratch_bytes * threads;
  }
};

class FeatureRun {
 public:
  FeatureRun(const FeatureEngine& engine, const Plan& plan, const Operands& operands,
             std::span<std::byte> workspace)
      : engine_(engine),
        plan_(plan),
        p_(plan.problem),
        job_(plan.job),
        operands_(operands),
        states_(workspace.data() + plan.directions_bytes),
        scratch_(states_ + plan.state_bytes * plan.state_heads * (plan.chunks + 1)) {
    job_.directions = reinterpret_cast<const float*>(workspace.data());
  }

  void sum_chunk(std::int64_t task, int worker) const {
    const std::int64_t head = task % plan_.state_heads, chunk = task / plan_.state_heads;
    engine_.clear(job_, state(head, chunk + 1));
    engine_.add_keys(job_, keys(head, chunk), state(head, chunk + 1), scratch(worker));
  }

  void put_together(std::int64_t head, std::int64_t chunks) const {
    engine_.clear(job_, state(head, 0));
    for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
      engine_.merge(job_, state(head, chunk), state(head, chunk + 1));
    }
  }

  // Without causality: every query sees all keys.
  void read_all(std::int64_t task, int worker) const {
    const std::int64_t heads = p_.batch * p_.heads;
    const std::int64_t head = task % heads, first = task / heads * kFeatureBlock;
    const std::int64_t count = std::min(kFeatureBlock, p_.nq - first);
    engine_.read(job_, state(head / plan_.heads_per_state, plan_.chunks),
                 queries(head, first, count), scratch(worker));
  }

  // Causal: the queries that stand in one chunk, and those before the first or after the last key.
  void read_chunk(std::int64_t task, int worker) const {
    const std::int64_t chunk = task / plan_.state_heads, head = task % plan_.state_heads;
    const std::int64_t begin = chunk * plan_.chunk_keys;
    const std::int64_t end = std::min(begin + plan_.chunk_keys, p_.nk);
    const auto query_at = [&](std::int64_t key) {
      return std::clamp<std::int64_t>(key - p_.shift(), 0, p_.nq);
    };
    const std::int64_t first = query_at(begin), last = query_at(end);
    auto* const sharing = reinterpret_cast<FeatureQueries*>(
        scratch(worker) + feature_scratch_bytes(job_, plan_.heads_per_state));
    for (std::int64_t h = 0; h < plan_.heads_per_state; ++h) {
      const std::int64_t query_head = head * plan_.heads_per_state + h;
      sharing[h] = queries(query_head, first, last - first);
      for (std::int64_t i = 0; chunk == 0 && i < first; ++i) {
        std::fill_n(output(query_head, i), p_.head_dim_v, 0.0f);
      }
    }
    engine_.add_keys_and_read(
        job_, keys(head, chunk), state(head, chunk), first + p_.shift() - begin,
        {sharing, static_cast<std::size_t>(plan_.heads_per_state)}, scratch(worker));
    if (end < p_.nk) return;
    for (std::int64_t h = 0; h < plan_.heads_per_state && last < p_.nq; ++h) {
      engine_.read(job_, state(head, chunk),
                   queries(head * plan_.heads_per_state + h, last, p_.nq - last), scratch(worker));
    }
  }

 private:
  std::byte* scratch(int worker) const { return scratch_ + plan_.scratch_bytes * worker; }

  FeatureState state(std::int64_t head, std::int64_t index) const {
    const std::int64_t at = head * (plan_.chunks + 1) + index;
    Carver carver({states_ + at * plan_.state_bytes, static_cast<std::size_t>(plan_.state_bytes)});
    return FeatureState::carve(job_, carver);
  }

  FeatureKeys keys(std::int64_t state_head, std::int64_t chunk) const {
    const std::int64_t head = state_head * plan_.heads_per_state;
    const std::int64_t b = head / p_.heads, h = head % p_.heads;
    const std::int64_t begin = chunk * plan_.chunk_keys;
    FeatureKeys out{.k = operands_.k.row(b, p_.kv_head(h), begin),
                    .v = operands_.v.row(b, p_.kv_head(h), begin),
                    .k_stride = operands_.k.stride[2],
                    .v_stride = operands_.v.stride[2],
                    .count = std::min(plan_.chunk_keys, p_.nk - begin)};
    const MaskView& mask = operands_.mask;
    if (mask.kind == MaskKind::kBoolean) {
      out.mask = static_cast<const std::uint8_t*>(mask.data) + b * mask.stride[0] +
                 h * mask.stride[1] + begin * mask.stride[3];
      out.mask_stride = mask.stride[3];
    }
    return out;
  }

  float* output(std::int64_t head, std::int64_t i) const {
    return operands_.o.row_as<float>(head / p_.heads, head % p_.heads, i);
  }
  FeatureQueries queries(std::int64_t head, std::int64_t first, std::int64_t count) const {
    return {.q = operands_.q.row(head / p_.heads, head % p_.heads, first),
            .o = output(head, first),
            .q_stride = operands_.q.stride[2],
            .o_stride = operands_.o.stride[2],
            .count = count};
  }

  const FeatureEngine& engine_;
  const Plan& plan_;
  const Problem& p_;
  FeatureJob job_;
  const Operands& operands_;
  std::byte* states_;
  std::byte* scratch_;
};

void run(const FeatureEngine& engine, Operator op, const Problem& problem, const Operands& operands,
         std::span<std::byte> workspace, ThreadTeam& team) {
  const Plan plan(problem, op);
  const FeatureRun feature_run(engine, plan, operands, workspace);
  // Causal: the last chunk's sum is needed by no later one.
  const std::int64_t summed = plan.causal ? plan.chunks - 1 : plan.chunks;
  team.run(plan.state_heads * summed, [&](std::int64_t task, int worker) {
    const FlushDenormals flush;
    feature_run.sum_chunk(task, worker);
  });
  team.run(plan.state_heads, [&](std::int64_t head, int) {
    const FlushDenormals flush;
    feature_run.put_together(head, summed);
  });
  if (plan.causal) {
    team.run(plan.state_heads * plan.chunks, [&](std::int64_t task, int worker) {
      const FlushDenormals flush;
      feature_run.read_chunk(task, worker);
    });
    return;
  }
  const std::int64_t blocks = (problem.nq + kFeatureBlock - 1) / kFeatureBlock;
  team.run(problem.batch * problem.heads * blocks, [&](std::int64_t task, int worker) {
    const FlushDenormals flush;
    feature_run.read_all(task, worker);
  });
}

// Writes the directions of performer, transposed and padded, to the head of the workspace.
void prepare(const Problem& problem, std::span<std::byte> workspace) {
  const Plan plan(problem, Operator::kPerformer);
  const std::int64_t d = problem.head_dim, stride = plan.job.feature_stride();
  std::vector<float> directions(static_cast<std::size_t>(problem.features * d));
  std::vector<double> scratch(static_cast<std::size_t>(d * (d + 1)));
  draw_directions(problem, directions, scratch);
  auto* const out = reinterpret_cast<float*>(workspace.data());
  std::fill_n(out, d * stride, 0.0f);
  for (std::int64_t f = 0; f < problem.features; ++f) {
    for (std::int64_t c = 0; c < d; ++c) {
      out[c * stride + f] = directions[static_cast<std::size_t>(f * d + c)];
    }
  }
}

}  // namespace

Kernel feature_groups_kernel(const FeatureEngine& engine, Kernel entry) {
  const Operator op = entry.op;
  entry.supports = [op](const Problem& problem, std::string* why_not) {
    return supports_operator(problem, op, why_not);
  };
  entry.workspace = [op](const Problem& problem, int threads) {
    return Plan(problem, op).bytes(threads);
  };
  if (op == Operator::kPerformer) {
    entry.prepare = [](const Problem& problem, std::span<std::byte> workspace, int) {
      prepare(problem, workspace);
    };
  }
  entry.run = [&engine, op](const Problem& problem, const Operands& operands,
                            std::span<std::byte> workspace, ThreadTeam& team) {
    run(engine, op, problem, operands, workspace, team);
  };
  return entry;
}

}  // namespace attnlab
