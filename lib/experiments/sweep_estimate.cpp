#include "experiments/sweep_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "attention/kv_cache.h"
#include "attention/pattern.h"
#include "attention/registry.h"
#include "cost/count.h"
#include "experiments/limits.h"
#include "experiments/sweep_setup.h"
#include "report/cell_text.h"

namespace attnlab {
namespace {

constexpr std::int64_t kAllRows = 512;  // up to so many queries every row is checked
constexpr std::int64_t kSomeRows = 64;

constexpr double kMostRows = 1 << 23;  // whose pairs are counted one by one: some six seconds

Generation::Cache cache_of(const SweepSettings& settings) {
  return settings.cache ? Generation::Cache::kYes : Generation::Cache::kNo;
}

// The operators without a closed formula of their pairs.
bool has_counted_pairs(Operator op) { return op == Operator::kStrided || op == Operator::kBigBird; }

// Rows that are looked at to count the pairs of the whole problem.
double counted_rows(const Problem& problem, Operator op) {
  const std::int64_t heads = op == Operator::kBigBird ? problem.heads : 1;
  return static_cast<double>(problem.nq) * static_cast<double>(heads);
}

// Pairs of all prefixes of a causal sequence, each computed anew. What row i sees lies in its past,
// whatever follows it, and row i is part of n - i prefixes. BigBird's random blocks lie in the past
// as a whole, so that there are as many keys for every head.
Count pairs_of_prefixes(const Problem& problem, Operator op) {
  const Problem whole = Generation::step_problem(problem, problem.nq, Generation::Cache::kNo);
  Count out = 0;
  for (std::int64_t row = 0; row < whole.nq; ++row) {
    out = out + Count(visible_keys(whole, op, 0, row)) * (whole.nq - row);
  }
  return out * problem.batch * problem.heads;
}

std::optional<std::int64_t> generation_macs(const SweepSettings& settings, const Problem& problem,
                                            Operator op) {
  if (!settings.cache && has_counted_pairs(op)) {
    return (pairs_of_prefixes(problem, op) * (problem.head_dim + problem.head_dim_v)).value();
  }
  Count out = 0;
  for (std::int64_t tokens = 1; tokens <= problem.nq; ++tokens) {
    const Problem step = Generation::step_problem(problem, tokens, cache_of(settings));
    const auto of_token = multiply_adds(step, op);
    if (!of_token) return std::nullopt;
    out = out + *of_token;
  }
  return out.value();
}

// Memory that the inputs' unrounded copy, references and their scratch take beside what is timed.
double check_bytes(const SweepSettings& settings, const SweepPoint& point) {
  const Problem& p = point.problem;
  const auto rows = static_cast<double>(checked_rows(p.nq, 0).size());
  const auto sequences = static_cast<double>(p.batch), nq = static_cast<double>(p.nq),
             nk = static_cast<double>(p.nk), heads = static_cast<double>(p.heads);
  const bool performs = std::find(settings.kernel.begin(), settings.kernel.end(), "performer") !=
                        settings.kernel.end();
  const double features = performs ? static_cast<double>(p.features) : 0;
  double out = point.threads * (nk * (9 + 8 * features) + 4096);
  const double operators = static_cast<double>(settings.kernel.size()) + 1;
  if (settings.scope == SweepScope::kAttention) {
    out += operators * sequences * heads * rows * static_cast<double>(p.head_dim_v) * 12;
    Problem unrounded = p;
    unrounded.dtype = Dtype::kF32;
    if (p.dtype != Dtype::kF32) out += static_cast<double>(*operand_bytes(unrounded));
    if (settings.phase == SweepPhase::kGenerate) {
      out += static_cast<double>(find_kernel(kPrefillKernel)->workspace(unrounded, point.threads));
    }
    return out;
  }
  const auto model = static_cast<double>(point.d_model);
  const double columns = heads * static_cast<double>(p.head_dim + p.head_dim_v) * 2;
  const double ffn = static_cast<double>(settings.ffn(point)) * 2;
  out += operators * sequences * rows * model * 12;
  return out + 8 * sequences * ((nq + nk) * (model + columns) + rows * (2 * model + columns + ffn));
}

// Bytes of workspace by the kernel's formula (and the layer's, and the cache's).
std::int64_t workspace_of(const SweepSettings& settings, const SweepPoint& point,
                          const Kernel& kernel) {
  const Problem& p = point.problem;
  if (settings.scope != SweepScope::kAttention) {
    return layer_workspace(kernel, layer_problem(settings, point), point.threads);
  }
  return settings.phase == SweepPhase::kGenerate
             ? Generation::required_bytes(kernel, p, cache_of(settings), point.threads)
             : kernel.workspace(p, point.threads);
}

std::int64_t operand_bytes_of(const SweepSettings& settings, const SweepPoint& point) {
  const Problem& p = point.problem;
  if (settings.scope == SweepScope::kAttention) return operand_bytes(p).value();
  const std::int64_t model = point.d_model, ffn = settings.ffn(point);
  const bool has_context = settings.nq || settings.nk;
  std::int64_t floats = 2 * p.batch * p.nq * model + (has_context ? p.batch * p.nk * model : 0);
  floats += model * (p.heads * p.head_dim + p.kv_heads * (p.head_dim + p.head_dim_v) +
                     p.heads * p.head_dim_v);
  if (ffn > 0) floats += 2 * model * ffn + ffn + 5 * model;
  return 4 * floats;
}

std::string why_not(const SweepSettings& settings, const SweepPoint& point,
                    const SweepKernel& choice) {
  if (choice.kernel == nullptr) return choice.reason;
  const Kernel& kernel = *choice.kernel;
  // Before supports(), which counts them too.
  const double rows = counted_rows(point.problem, kernel.op);
  if (has_counted_pairs(kernel.op) && rows > kMostRows) {
    return fmt::format("its pairs are counted row by row, and {:.3g} rows are too many", rows);
  }
  std::string reason;
  if (settings.phase == SweepPhase::kGenerate) {
    reason = Generation::why_not(kernel, point.problem, cache_of(settings));
  } else if (kernel.supports(point.problem, &reason)) {
    reason = "";
  }
  return reason;
}

// Seconds of one call from the multiply-adds and a typical rate of such a kernel.
double typical_seconds(const SweepSettings& settings, const SweepPoint& point, const Kernel& kernel,
                       std::int64_t macs) {
  const bool is_plain = kernel.name == "reference" || kernel.name == "textbook";
  double rate = is_plain                   ? 4e8
                : kernel.isa == Isa::kBlas ? 1.5e10
                : has_softmax(kernel.op)   ? 1e10
                                           : 5e9;  // multiply-adds a second and thread
  if (kernel.isa == Isa::kSse4 && !is_plain) rate /= 4;
  constexpr double kCall = 2e-6;  // of a kernel that has next to nothing to do
  const double calls =
      settings.phase == SweepPhase::kGenerate ? static_cast<double>(point.problem.nq) : 1;
  return static_cast<double>(macs) / (rate * point.threads) + kCall * calls;
}

}  // namespace

LayerProblem layer_problem(const SweepSettings& settings, const SweepPoint& point) {
  return {.attention = point.problem, .d_model = point.d_model, .ffn = settings.ffn(point)};
}

std::optional<std::int64_t> sweep_macs(const SweepSettings& settings, const SweepPoint& point,
                                       Operator op) {
  if (settings.scope != SweepScope::kAttention) {
    return layer_multiply_adds(layer_problem(settings, point), op);
  }
  return settings.phase == SweepPhase::kGenerate ? generation_macs(settings, point.problem, op)
                                                 : multiply_adds(point.problem, op);
}

std::vector<std::int64_t> checked_rows(std::int64_t queries, std::uint64_t seed) {
  std::set<std::int64_t> rows{0, queries - 1};
  if (queries <= kAllRows) {
    for (std::int64_t row = 0; row < queries; ++row) rows.insert(row);
  }
  std::mt19937_64 generator(seed);
  while (std::ssize(rows) < std::min(queries, kSomeRows)) {
    rows.insert(static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(queries)));
  }
  return {rows.begin(), rows.end()};
}

double row_seconds(const SweepSettings& settings, double call_seconds) {
  const double least = settings.min_time.seconds;
  const auto samples = static_cast<double>(settings.repeats);
  const double each = std::max(call_seconds, least);
  // The check, warm-up, and the trials that find how many calls make a sample.
  const double before =
      (1 + static_cast<double>(settings.warmup)) * call_seconds + (least > 0 ? 1.3 * each : 0);
  return static_cast<double>(settings.runs) * (before + samples * each);
}

SweepNeeds sweep_needs(const SweepSettings& settings, const SweepPoint& point,
                       const std::vector<SweepKernel>& kernels) {
  SweepNeeds out;
  std::map<Operator, std::optional<std::int64_t>> macs;  // several instruction sets share one
  for (const SweepKernel& choice : kernels) {
    SweepNeed& need = out.kernels.emplace_back();
    need.why_not = why_not(settings, point, choice);
    if (!need.why_not.empty()) continue;
    const Kernel& kernel = *choice.kernel;
    if (macs.find(kernel.op) == macs.end()) {
      macs[kernel.op] = sweep_macs(settings, point, kernel.op);
    }
    if (!macs[kernel.op]) {
      need.why_not = "its multiply-adds pass 2^63";
      continue;
    }
    if (out.operand_bytes == 0) {
      out.operand_bytes = operand_bytes_of(settings, point);
      out.shared_bytes = static_cast<double>(out.operand_bytes) + check_bytes(settings, point);
    }
    need.macs = *macs[kernel.op];
    need.workspace_bytes = workspace_of(settings, point, kernel);
    need.seconds = row_seconds(settings, typical_seconds(settings, point, kernel, need.macs));
  }
  return out;
}

std::vector<PointPart> sweep_parts(const std::vector<SweepKernel>& kernels, const SweepNeeds& needs,
                                   const SweepLimits& limits) {
  std::vector<PointPart> out;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const SweepNeed& need = needs.kernels[i];
    PointPart& part = out.emplace_back();
    part.label = kernels[i].name + "/" + kernels[i].isa;
    if (!need.why_not.empty()) {
      part.status = "skipped";
      part.reason = need.why_not;
      continue;
    }
    part.bytes = needs.shared_bytes + static_cast<double>(need.workspace_bytes);
    part.seconds = need.seconds;
    std::tie(part.status, part.reason) =
        forecast(part.bytes, part.seconds, limits.bytes, limits.seconds);
  }
  return out;
}

void refuse_together(const SweepNeeds& needs, double allowed_bytes, std::vector<PointPart>& parts) {
  const auto workspace = [&](std::size_t i) { return needs.kernels[i].workspace_bytes; };
  while (true) {
    double together = needs.shared_bytes;
    std::optional<std::size_t> largest;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].status != "ok") continue;
      together += static_cast<double>(workspace(i));
      if (!largest || workspace(i) > workspace(*largest)) largest = i;
    }
    if (!largest || together <= allowed_bytes) return;
    parts[*largest].status = "refused";
    parts[*largest].reason = fmt::format(
        "needs {} of memory together with the other kernels, {} are allowed "
        "(--max-memory)",
        size_text(together), size_text(allowed_bytes));
  }
}

}  // namespace attnlab
