// The way through a problem of the streamed statistics: groups of queries in the first pass, chunks
// of keys in the second, so that each sum belongs to one task and is added up in one order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/attention_statistics.h"
#include "analysis/simd/stream.h"
#include "attention/blocked.h"
#include "attention/scaling.h"
#include "base/check.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kChunkKeys = 256;  // of the second pass: k stays in the second-level cache

const StreamEngine& engine_of(Isa isa) {
  for (const StreamEngine& engine : stream_engines()) {
    if (engine.isa == isa) return engine;
  }
  ATTNLAB_CHECK(false && "an instruction set that simd_isas() does not list");
  return stream_engines().front();
}

const AttendEngine& attend_engine_of(Isa isa) {
  for (const AttendEngine& engine : attend_engines()) {
    if (engine.isa == isa) return engine;
  }
  ATTNLAB_CHECK(false && "an instruction set that simd_isas() does not list");
  return attend_engines().front();
}

// How the engine's scores become logits.
struct ScoreUnits {
  AttendJob job;
  double to_logit;  // logit = to_logit score
  double power;     // scores before a mask are q.k times this

  explicit ScoreUnits(const Problem& problem) : job(attend_job(problem)) {
    const ScoreScale scale = score_scale(problem);
    const bool additive = problem.mask.kind == MaskKind::kAdditive;
    job.dv = 0;
    to_logit = additive ? 1 : scale.rest;
    power = scale.power;
    if (scale.power != 0) return;
    // A scale of 0: the products are still looked at, and then count for nothing.
    power = 1;
    job.query_factor = 1;
    job.score_factor = additive ? 0 : 1;
    to_logit = additive ? 1 : 0;
    if (additive) return;
    job.argmax = false;
    job.exponent = std::numeric_limits<float>::min();
  }
};

AttentionRow finished(const StreamRow& sums, const ScoreUnits& units) {
  AttentionRow out;
  out.visible = static_cast<std::int64_t>(sums.visible);
  if (out.is_masked()) return out;
  const double rest = sums.ties - 1 + sums.small, denominator = 1 + rest;
  const double entropy = std::log1p(rest) * std::numbers::log2e - sums.weighted / denominator;
  if (!std::isfinite(entropy) || !std::isfinite(sums.largest) || !std::isfinite(sums.smallest)) {
    out.largest = out.smallest = out.unscaled = out.denominator = out.entropy = kNan;
    out.max_weight = out.gradient_scale = out.first_weight = kNan;
    return out;
  }
  out.largest = units.to_logit * double{sums.largest};
  out.smallest = units.to_logit * double{sums.smallest};
  out.unscaled = double{sums.unscaled} / std::abs(units.power);
  out.denominator = denominator;
  out.entropy = std::max(entropy, 0.0);
  out.max_weight = 1 / denominator;
  out.gradient_scale = rest / (denominator * denominator);
  const double gap = double{sums.first} - double{sums.largest};
  if (sums.first == -kInfinity) {
    out.first_weight = kNan;
  } else if (units.job.argmax) {
    out.first_weight = gap == 0 ? out.max_weight : 0;
  } else {
    out.first_weight = std::exp2(double{units.job.exponent} * gap) / denominator;
  }
  return out;
}

// What the second pass needs to know of a row.
StreamLimits limits_of(const StreamRow& sums, const AttentionRow& row, const ScoreUnits& units) {
  if (row.is_masked() || !row.is_finite()) return {0, 0, -kInfinity};
  StreamLimits out{sums.largest, static_cast<float>(1 / row.denominator), -kInfinity};
  const double below = units.job.argmax ? 0
                                        : (kZeroWeightExponent + std::log2(row.denominator)) /
                                              double{units.job.exponent};
  // Even the smallest weight is none: nothing to count.
  if (double{sums.smallest} - double{sums.largest} < below) out.below = static_cast<float>(below);
  return out;
}

// Whether a NaN or Inf is among the numbers of any row.
bool has_nonfinite(const ConstView& view, std::int64_t b, std::int64_t h) {
  for (std::int64_t i = 0; i < view.shape[2]; ++i) {
    const std::byte* const row = view.row(b, h, i);
    bool found = false;
    for (std::int64_t c = 0; c < view.shape[3]; ++c) {
      found = found || !std::isfinite(load_element(row, view.dtype, c));
    }
    if (found) return true;
  }
  return false;
}

class Streamed {
 public:
  Streamed(const Problem& problem, Operator op, const Operands& operands,
           const StatisticsRequest& request, ThreadTeam& team, Watch& watch, Isa isa)
      : p_(problem),
        operands_(operands),
        request_(request),
        team_(team),
        watch_(watch),
        engine_(engine_of(isa)),
        units_(problem),
        window_(op == Operator::kWindow),
        heads_(problem.batch * problem.heads),
        rows_(heads_ * problem.nq) {
    operands_.v = operands_.k;  // looked at by nobody
    group_rows_ = rows_per_group(attend_engine_of(isa), units_.job, p_.nq, heads_, team.threads());
    scratch_bytes_ = stream_scratch_bytes(engine_, units_.job, std::min(group_rows_, p_.nq));
    scratch_ = AlignedBuffer(scratch_bytes_ * team.threads());
  }

  AttentionStatistics run() {
    look_for_nonfinite();
    sums_.resize(static_cast<std::size_t>(rows_));
    out_.rows.resize(static_cast<std::size_t>(rows_));
    out_.zeros.assign(static_cast<std::size_t>(heads_), 0);
    first_pass();
    if (watch_.stopped()) return std::move(out_);
    finish_rows();
    if (is_second_wanted_) second_pass();
    return std::move(out_);
  }

 private:
  void look_for_nonfinite() {
    careful_.assign(static_cast<std::size_t>(heads_), 0);
    std::vector<std::uint8_t> in_keys(static_cast<std::size_t>(p_.batch * p_.kv_heads), 0);
    const auto kv_heads = static_cast<std::int64_t>(in_keys.size());
    team_.run(kv_heads + heads_, [&](std::int64_t task, int) {
      if (task < kv_heads) {
        in_keys[static_cast<std::size_t>(task)] =
            has_nonfinite(operands_.k, task / p_.kv_heads, task % p_.kv_heads);
      } else {
        const std::int64_t head = task - kv_heads;
        careful_[static_cast<std::size_t>(head)] =
            has_nonfinite(operands_.q, head / p_.heads, head % p_.heads);
      }
    });
    for (std::int64_t head = 0; head < heads_; ++head) {
      const std::int64_t kv = head / p_.heads * p_.kv_heads + p_.kv_head(head % p_.heads);
      careful_[static_cast<std::size_t>(head)] |= in_keys[static_cast<std::size_t>(kv)];
    }
  }

  QueryGroup group(std::int64_t head, std::int64_t first, std::int64_t count) const {
    return {head / p_.heads, head % p_.heads, first, count};
  }

  AttendRows rows_of(const QueryGroup& g) const {
    return {.q = operands_.q.row(g.b, g.h, g.first),
            .q_stride = operands_.q.stride[2],
            .o = nullptr,
            .o_stride = 0,
            .count = g.count};
  }

  KeyRun keys_of(const QueryGroup& g) const {
    const bool causal = p_.causal != Causal::kNone;
    const std::int64_t position = g.first + p_.shift();
    Band band{.low = 0, .high = p_.nk};
    if (window_) {
      band.low = position - p_.window + 1;
      band.high = position + p_.window;
      band.low_step = band.high_step = 1;
    }
    if (causal) {
      band.high = position + 1;
      band.high_step = 1;
    }
    return key_run(p_, operands_, g, 0, p_.nk, band);
  }

  // Runs body(task, scratch) for each task, tells how far it is, stops when told to.
  template <class Body>
  void run_tasks(std::int64_t tasks, double from, double to, Body&& body) {
    run_groups(
        tasks, scratch_.span(), scratch_bytes_, team_, [&](std::int64_t task, std::byte* scratch) {
          if (watch_.stopped()) return;
          body(task, scratch);
          // The first part of the scratch belongs to the calling thread.
          if (scratch != scratch_.data()) return;
          watch_.progress(from +
                          (to - from) * static_cast<double>(task + 1) / static_cast<double>(tasks));
        });
  }

  void first_pass() {
    const std::int64_t groups = (p_.nq + group_rows_ - 1) / group_rows_;
    const double share = request_.columns || request_.map_cells > 0 ? 0.5 : 1;
    // Causal groups near the end see the most keys: they go first, so that the team ends together.
    run_tasks(heads_ * groups, 0, share, [&](std::int64_t task, std::byte* scratch) {
      const std::int64_t head = task % heads_;
      const std::int64_t first = (groups - 1 - task / heads_) * group_rows_;
      const QueryGroup g = group(head, first, std::min(group_rows_, p_.nq - first));
      engine_.first_pass(units_.job, rows_of(g), keys_of(g),
                         careful_[static_cast<std::size_t>(head)] != 0,
                         sums_.data() + head * p_.nq + first, scratch);
    });
  }

  void finish_rows() {
    limits_.resize(static_cast<std::size_t>(rows_));
    is_second_wanted_ = request_.columns || request_.map_cells > 0;
    for (std::size_t r = 0; r < sums_.size(); ++r) {
      const AttentionRow row = finished(sums_[r], units_);
      limits_[r] = limits_of(sums_[r], row, units_);
      if (limits_[r].below > -kInfinity) is_second_wanted_ = true;
      out_.rows[r] = row;
    }
    sums_ = {};
  }

  void second_pass() {
    const bool wants_sums = request_.columns || request_.map_cells > 0;
    const std::int64_t cells = request_.map_cells;
    // Queries of a strip are summed together before they go to the map; keys of a chunk are whole
    // cells of it.
    const std::int64_t strip = cells > 0 ? map_cell_size(p_.nq, cells) : p_.nq;
    const std::int64_t cell = cells > 0 ? map_cell_size(p_.nk, cells) : 1;
    const std::int64_t chunk = (kChunkKeys + cell - 1) / cell * cell;
    const std::int64_t chunks = (p_.nk + chunk - 1) / chunk;
    const std::int64_t strips = (p_.nq + strip - 1) / strip;
    const std::int64_t columns = cells > 0 ? map_cell_count(p_.nk, cells) : 0;
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    if (wants_sums) {
      out_.column_weights.assign(size(heads_ * p_.nk), 0);
      out_.column_queries.assign(size(heads_ * p_.nk), 0);
    }
    out_.map.assign(size(heads_ * strips * columns), 0);
    std::vector<std::int64_t> zeros(size(heads_ * chunks), 0);
    // The sums of a strip, for each chunk of keys.
    std::vector<double> strip_weights(size(cells > 0 ? heads_ * p_.nk : 0), 0);
    run_tasks(heads_ * chunks, 0.5, 1, [&](std::int64_t task, std::byte* scratch) {
      const std::int64_t head = task % heads_, first = task / heads_ * chunk;
      const std::int64_t count = std::min(chunk, p_.nk - first);
      StreamSums sums{first, count, nullptr, nullptr};
      if (wants_sums) {
        sums.queries = out_.column_queries.data() + head * p_.nk + first;
        sums.weights = out_.column_weights.data() + head * p_.nk + first;
      }
      double* const totals = sums.weights;
      for (std::int64_t s = 0; s < strips; ++s) {
        if (cells > 0) {
          sums.weights = strip_weights.data() + head * p_.nk + first;
          std::fill_n(sums.weights, count, 0.0);
        }
        const std::int64_t end = std::min((s + 1) * strip, p_.nq);
        for (std::int64_t row = s * strip; row < end; row += group_rows_) {
          const QueryGroup g = group(head, row, std::min(group_rows_, end - row));
          engine_.second_pass(units_.job, rows_of(g), keys_of(g), careful_[size(head)] != 0,
                              limits_.data() + head * p_.nq + row, sums, scratch);
        }
        if (cells == 0) continue;
        double* const map = out_.map.data() + (head * strips + s) * columns;
        for (std::int64_t j = 0; j < count; ++j) {
          map[(first + j) / cell] += sums.weights[j];
          totals[j] += sums.weights[j];
        }
      }
      zeros[size(task)] = sums.zeros;
    });
    for (std::int64_t task = 0; task < heads_ * chunks; ++task) {
      out_.zeros[size(task % heads_)] += zeros[size(task)];
    }
  }

  const Problem& p_;
  Operands operands_;
  const StatisticsRequest& request_;
  ThreadTeam& team_;
  Watch& watch_;
  const StreamEngine& engine_;
  const ScoreUnits units_;
  const bool window_;
  const std::int64_t heads_, rows_;
  std::int64_t group_rows_ = 0, scratch_bytes_ = 0;
  AlignedBuffer scratch_;
  std::vector<std::uint8_t> careful_;  // [B Hq]
  std::vector<StreamRow> sums_;        // [B Hq Nq]
  std::vector<StreamLimits> limits_;
  bool is_second_wanted_ = false;
  AttentionStatistics out_;
};

}  // namespace

AttentionStatistics streamed_statistics(const Problem& problem, Operator op,
                                        const Operands& operands, const StatisticsRequest& request,
                                        ThreadTeam& team, Watch& watch, Isa isa) {
  ATTNLAB_CHECK(op == Operator::kDense || (op == Operator::kWindow && problem.global_tokens == 0));
  return Streamed(problem, op, operands, request, team, watch, isa).run();
}

double statistics_bytes(const Problem& problem, const StatisticsRequest& request, int threads) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const double heads = real(problem.batch * problem.heads), keys = heads * real(problem.nk);
  const double cells = real(request.map_cells);
  const double sums = request.columns || cells > 0 ? 24 * keys : 0;
  const double scratch = 3e6 * threads + 16 * real(problem.nk * (problem.head_dim + 2)) * threads;
  return heads * real(problem.nq) *
             (sizeof(AttentionRow) + sizeof(StreamRow) + sizeof(StreamLimits)) +
         sums + 8 * heads * cells * cells + scratch;
}

}  // namespace attnlab
