#include "experiments/sweep_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "cost/count.h"
#include "experiments/limits.h"
#include "report/cell_text.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr std::int64_t kAllRows = 512;  // up to so many queries every row is checked
constexpr std::int64_t kSomeRows = 64;

// The problem of one token in a generation, as Generation puts it.
Problem token_problem(const Problem& problem, std::int64_t tokens, bool cache) {
  Problem out = problem;
  out.nk = tokens;
  out.nq = cache ? 1 : tokens;
  out.causal = Causal::kBottomRight;
  out.stride = problem.effective_stride();
  return out;
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
    if (p.dtype != Dtype::kF32) out += 2.0 * static_cast<double>(*operand_bytes(p));
    return out;
  }
  const auto model = static_cast<double>(point.d_model);
  const double columns = heads * static_cast<double>(p.head_dim + p.head_dim_v) * 2;
  const double ffn = static_cast<double>(settings.ffn(point)) * 2;
  out += operators * sequences * rows * model * 12;
  return out + 8 * sequences * ((nq + nk) * (model + columns) + rows * (2 * model + columns + ffn));
}

}  // namespace

LayerShape layer_shape(const SweepSettings& settings, const SweepPoint& point) {
  return {.attention = point.problem, .d_model = point.d_model, .ffn = settings.ffn(point)};
}

std::optional<std::int64_t> sweep_macs(const SweepSettings& settings, const SweepPoint& point,
                                       Operator op) {
  if (settings.scope != SweepScope::kAttention) {
    return layer_multiply_adds(layer_shape(settings, point), op);
  }
  if (settings.phase != SweepPhase::kGenerate) return multiply_adds(point.problem, op);
  Count out = 0;
  for (std::int64_t tokens = 1; tokens <= point.problem.nq; ++tokens) {
    const auto of_token = multiply_adds(token_problem(point.problem, tokens, settings.cache), op);
    if (!of_token) return std::nullopt;
    out = out + *of_token;
  }
  return out.value();
}

std::int64_t sweep_workspace(const SweepSettings& settings, const SweepPoint& point,
                             const Kernel& kernel) {
  const Problem& p = point.problem;
  if (settings.scope != SweepScope::kAttention) {
    return layer_workspace(kernel, layer_shape(settings, point), point.threads);
  }
  if (settings.phase != SweepPhase::kGenerate) return kernel.workspace(p, point.threads);
  std::int64_t out = 0;
  for (std::int64_t tokens = 1; tokens <= p.nq; ++tokens) {
    const Problem step = token_problem(p, tokens, settings.cache);
    out = std::max(out, kernel.workspace(step, point.threads));
  }
  if (!settings.cache) return out + p.batch * p.heads * p.nq * p.head_dim_v * 4;
  const std::int64_t element = dtype_bytes(p.dtype), keys = p.batch * p.kv_heads * p.nk;
  return out + aligned_bytes(keys * p.head_dim * element) + keys * p.head_dim_v * element;
}

std::int64_t sweep_operand_bytes(const SweepSettings& settings, const SweepPoint& point) {
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

std::string why_not(const SweepSettings& settings, const SweepPoint& point,
                    const SweepKernel& choice) {
  if (choice.kernel == nullptr) return choice.reason;
  const Kernel& kernel = *choice.kernel;
  Problem problem = point.problem;
  if (settings.phase == SweepPhase::kGenerate) {
    if (settings.cache && !has_softmax(kernel.op)) {
      return "it sums over all keys, cached or not: generate without a cache";
    }
    if (settings.cache && kernel.op == Operator::kBigBird) {
      return "its random blocks belong to queries of the whole sequence: generate without a cache";
    }
    problem = token_problem(problem, problem.nq, settings.cache);
  }
  std::string reason;
  if (!kernel.supports(problem, &reason)) return reason;
  if (!sweep_macs(settings, point, kernel.op)) return "its multiply-adds pass 2^63";
  return "";
}

double typical_seconds(const SweepSettings& settings, const SweepPoint& point,
                       const Kernel& kernel) {
  const bool is_plain = kernel.name == "reference" || kernel.name == "textbook";
  double rate = is_plain                   ? 4e8
                : kernel.isa == Isa::kBlas ? 1.5e10
                : has_softmax(kernel.op)   ? 1e10
                                           : 5e9;  // multiply-adds a second and thread
  if (kernel.isa == Isa::kSse4 && !is_plain) rate /= 4;
  const auto macs = static_cast<double>(sweep_macs(settings, point, kernel.op).value());
  constexpr double kCall = 2e-6;  // of a kernel that has next to nothing to do
  const double calls =
      settings.phase == SweepPhase::kGenerate ? static_cast<double>(point.problem.nq) : 1;
  return macs / (rate * point.threads) + kCall * calls;
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

std::vector<PointPart> sweep_parts(const SweepSettings& settings, const SweepPoint& point,
                                   const std::vector<SweepKernel>& kernels,
                                   const SweepLimits& limits) {
  std::vector<PointPart> out;
  std::vector<double> workspaces(kernels.size(), 0);
  double shared = 0, together = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    PointPart& part = out.emplace_back();
    part.label = kernels[i].name + "/" + kernels[i].isa;
    part.reason = why_not(settings, point, kernels[i]);
    part.status = part.reason.empty() ? "ok" : "skipped";
    if (part.status != "ok") continue;
    if (shared == 0) {
      shared =
          static_cast<double>(sweep_operand_bytes(settings, point)) + check_bytes(settings, point);
      together = shared;
    }
    workspaces[i] = static_cast<double>(sweep_workspace(settings, point, *kernels[i].kernel));
    part.bytes = shared + workspaces[i];
    part.seconds = row_seconds(settings, typical_seconds(settings, point, *kernels[i].kernel));
    std::tie(part.status, part.reason) =
        forecast(part.bytes, part.seconds, limits.bytes, limits.seconds);
    if (part.status == "ok") together += workspaces[i];
  }
  while (together > limits.bytes) {
    std::size_t largest = out.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].status != "ok") continue;
      if (largest == out.size() || workspaces[i] > workspaces[largest]) largest = i;
    }
    if (largest == out.size()) break;
    out[largest].status = "refused";
    out[largest].reason = fmt::format(
        "needs {} of memory together with the other kernels, {} are allowed "
        "(--max-memory)",
        size_text(together), size_text(limits.bytes));
    together -= workspaces[largest];
  }
  return out;
}

}  // namespace attnlab
