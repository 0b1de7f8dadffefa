// Dense attention of a few queries to a long cache: the keys are split into chunks over the
// threads, the partial results put together in order.
// Dao, Haziza, Massa, Sizov, Flash-Decoding for long-context inference, 2023.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// The queries of all heads that share a key head read its keys together. Right for any number of
// queries; made for few: flash is faster from about a dozen on.
#include "attention/simd/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attention/blocked.h"
#include "attention/kernels/add_kernels.h"
#include "attention/kernels/supports.h"
#include "attention/key_split.h"

namespace attnlab {
namespace {

constexpr std::int64_t kMostQueries = 256;  // partial results take memory for each

struct Plan {
  AttendJob job;
  KeySplit split;
  std::int64_t rows, row_groups;  // queries of the heads that share a key head
  std::int64_t key_heads;         // of the whole batch
  std::int64_t scratch_bytes;

  explicit Plan(const Problem& p)
      : job(attend_job(p)), split(p.nk), key_heads(p.batch * p.kv_heads) {
    rows = p.heads / p.kv_heads * p.nq;
    row_groups = (rows + kMostDecodeRows - 1) / kMostDecodeRows;
    scratch_bytes = decode_scratch_bytes(job, std::min(rows, kMostDecodeRows));
  }
  // Partial results: [key heads][chunks][rows].
  std::int64_t partial_bytes() const {
    return aligned_bytes(key_heads * split.chunks * rows * partial_size(job) * 4);
  }
};

class Decode {
 public:
  Decode(const DecodeEngine& engine, const Problem& problem, const Operands& operands,
         std::span<std::byte> workspace)
      : engine_(engine),
        p_(problem),
        operands_(operands),
        plan_(problem),
        partials_(reinterpret_cast<float*>(workspace.data())) {}

  void chunk(std::int64_t task, std::byte* scratch) const {
    const std::int64_t chunk = task % plan_.split.chunks;
    const std::int64_t group = task / plan_.split.chunks % plan_.row_groups;
    const std::int64_t key_head = task / plan_.split.chunks / plan_.row_groups;
    const std::int64_t b = key_head / p_.kv_heads, h = key_head % p_.kv_heads;
    const std::int64_t first = group * kMostDecodeRows;
    const std::int64_t count = std::min(kMostDecodeRows, plan_.rows - first);
    std::array<DecodeRow, kMostDecodeRows> rows;
    for (std::int64_t r = 0; r < count; ++r) {
      rows[static_cast<std::size_t>(r)] = row(b, query_head(h, first + r), (first + r) % p_.nq);
    }
    const std::int64_t begin = chunk * plan_.split.chunk_keys;
    const DecodeKeys keys{operands_.k.row(b, h, 0),
                          operands_.v.row(b, h, 0),
                          operands_.k.stride[2],
                          operands_.v.stride[2],
                          begin,
                          std::min(begin + plan_.split.chunk_keys, p_.nk),
                          operands_.k_scales.row(b, h),
                          operands_.v_scales.row(b, h),
                          operands_.k_scales.stride[2],
                          operands_.v_scales.stride[2]};
    engine_.chunk(plan_.job, keys, {rows.data(), static_cast<std::size_t>(count)},
                  partial(key_head, chunk, first), scratch);
  }

  void merge(std::int64_t task) const {
    const std::int64_t r = task % plan_.rows, key_head = task / plan_.rows;
    const std::int64_t b = key_head / p_.kv_heads, h = key_head % p_.kv_heads;
    engine_.merge(plan_.job, partial(key_head, 0, r), plan_.rows * partial_size(plan_.job),
                  plan_.split.chunks, operands_.o.row_as<float>(b, query_head(h, r), r % p_.nq));
  }

  const Plan& plan() const { return plan_; }

 private:
  std::int64_t query_head(std::int64_t key_head, std::int64_t r) const {
    return key_head * (p_.heads / p_.kv_heads) + r / p_.nq;
  }
  float* partial(std::int64_t key_head, std::int64_t chunk, std::int64_t r) const {
    return partials_ +
           ((key_head * plan_.split.chunks + chunk) * plan_.rows + r) * partial_size(plan_.job);
  }
  DecodeRow row(std::int64_t b, std::int64_t h, std::int64_t i) const {
    DecodeRow out{.q = operands_.q.row(b, h, i), .keys_seen = p_.nk};
    if (p_.causal != Causal::kNone) {
      out.keys_seen = std::clamp<std::int64_t>(i + p_.shift() + 1, 0, p_.nk);
    }
    const MaskView& mask = operands_.mask;
    if (mask.kind == MaskKind::kNone) return out;
    const std::int64_t offset = b * mask.stride[0] + h * mask.stride[1] + i * mask.stride[2];
    out.mask = static_cast<const std::byte*>(mask.data) +
               offset * (mask.kind == MaskKind::kBoolean ? 1 : 4);
    out.mask_key_stride = mask.stride[3];
    return out;
  }

  const DecodeEngine& engine_;
  const Problem& p_;
  const Operands& operands_;
  Plan plan_;
  float* partials_;
};

void run(const DecodeEngine& engine, const Problem& problem, const Operands& operands,
         std::span<std::byte> workspace, ThreadTeam& team) {
  const Decode decode(engine, problem, operands, workspace);
  const Plan& plan = decode.plan();
  // A multiply-add of decode takes about twice as long as one of the blocked kernels: it is as much
  // loading as computing. A small cache wakes nobody.
  const auto macs = static_cast<double>(multiply_adds(problem, Operator::kDense).value());
  const int workers = useful_workers(2 * macs);
  run_groups(
      plan.key_heads * plan.row_groups * plan.split.chunks,
      workspace.subspan(static_cast<std::size_t>(plan.partial_bytes())), plan.scratch_bytes, team,
      [&](std::int64_t task, std::byte* scratch) { decode.chunk(task, scratch); }, workers);
  // Little work for each row: not worth waking others, unless there are many.
  if (plan.key_heads * plan.rows * plan.split.chunks < 1024) {
    const FlushDenormals flush;
    for (std::int64_t r = 0; r < plan.key_heads * plan.rows; ++r) decode.merge(r);
    return;
  }
  run_groups(
      plan.key_heads * plan.rows, workspace, 0, team,
      [&](std::int64_t task, std::byte*) { decode.merge(task); }, workers);
}

bool supports(const Problem& problem, std::string* why_not) {
  if (!supports_operator(problem, Operator::kDense, why_not, {.int8_caches = true})) return false;
  if (problem.nq > kMostQueries) {
    return refuse(why_not,
                  fmt::format("decode takes at most {} queries; flash takes more", kMostQueries));
  }
  return true;
}

}  // namespace

void add_decode_kernels(std::vector<Kernel>& out) {
  for (const DecodeEngine& engine : decode_engines()) {
    out.push_back(
        {.name = "decode",
         .isa = engine.isa,
         .op = Operator::kDense,
         .summary = "few queries on a long KV-cache, keys split over threads",
         .source = "Dao et al. 2023 (Flash-Decoding)",
         .memory = "partial results of at most 64 chunks of keys, a row",
         .supports = supports,
         .workspace =
             [](const Problem& problem, int threads) {
               const Plan plan(problem);
               return plan.partial_bytes() + plan.scratch_bytes * threads;
             },
         .prepare = nullptr,
         .run = [&engine](const Problem& problem, const Operands& operands,
                          std::span<std::byte> workspace,
                          ThreadTeam& team) { run(engine, problem, operands, workspace, team); }});
  }
}

}  // namespace attnlab
