#include "experiments/cost_layer_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "attention/registry.h"
#include "experiments/cost_row.h"
#include "experiments/sweep_check.h"
#include "experiments/sweep_setup.h"
#include "machine/bandwidth.h"
#include "machine/machine.h"
#include "machine/peak.h"

namespace attnlab {
namespace {

constexpr std::int64_t kProbeRounds = 400'000;  // about a millisecond

// The attention of a layer type at a point as kernels take it.
struct AttentionCase {
  SweepSettings settings;
  SweepPoint point;
  std::vector<SweepKernel> kernels;

  const SweepKernel& fused() const { return kernels.back(); }
  // Null where the pattern has no three-step kernel.
  const Kernel* three_step() const { return kernels.size() > 1 ? kernels[0].kernel : nullptr; }
};

AttentionCase attention_case(const LayerShape& s, std::int64_t nq, std::int64_t nk, int threads,
                             const std::vector<std::string>& names) {
  AttentionCase out;
  Problem& p = out.point.problem;
  p = {.batch = s.batch,
       .heads = s.heads,
       .kv_heads = s.shares_keys || s.kv_heads > 0 ? s.kv_heads : s.heads,
       .nq = nq,
       .nk = nk,
       .head_dim = s.head_dim,
       .head_dim_v = s.head_dim_v,
       .causal = s.is_cross ? Causal::kNone : s.causal};
  if (s.reach.window) p.window = *s.reach.window;
  out.point.n = nk;
  out.point.d_model = s.width;
  out.point.threads = threads;
  out.settings.kernel = names;
  for (const std::string& name : names) {
    const Kernel* const kernel = find_kernel(name);
    out.kernels.push_back({name, std::string(isa_name(kernel->isa)), kernel, ""});
  }
  return out;
}

// All queries at once: the three-step kernel and the fused one, or that of the window.
AttentionCase prefill_case(const LayerShape& s, const CostPoint& at, int threads) {
  using Names = std::vector<std::string>;
  return attention_case(s, at.nq, at.nk, threads,
                        s.reach.window ? Names{"window"} : Names{"naive", "flash"});
}

// One new token on the cached ones that it sees.
AttentionCase decode_case(const LayerShape& s, const CostPoint& at, int threads) {
  LayerShape step = s;
  step.causal = Causal::kNone;
  step.reach = {};
  return attention_case(step, 1, cached_tokens(s, at.nk), threads, {"decode"});
}

// As many layers' weights as it takes to leave the caches, where the model has so many.
std::int64_t copies_of(const LayerType& type) {
  std::int64_t cache = 0;
  for (const Cache& one : read_machine().caches) cache = std::max(cache, one.bytes);
  const std::int64_t layer = 4 * std::max<std::int64_t>(1, LinearParts::weights(type.shape));
  return std::clamp<std::int64_t>((2 * cache + layer - 1) / layer, 1, type.layers);
}

// A three-step kernel without its softmax, whose result is thrown away.
class Contractions {
 public:
  Contractions(const Kernel& kernel, Problem problem, const Operands& operands, ThreadTeam& team)
      : kernel_(kernel),
        problem_(problem),
        operands_(operands),
        team_(team),
        workspace_(kernel.workspace(problem, team.threads())) {
    problem_.left_out = StageSet(Stage::kSoftmax);
  }
  void run() { kernel_.run(problem_, operands_, workspace_.span(), team_); }

 private:
  const Kernel& kernel_;
  Problem problem_;
  Operands operands_;
  ThreadTeam& team_;
  AlignedBuffer workspace_;
};

void add_softmax(std::vector<TimedPart>& parts) {
  const auto named = [&](std::string_view name) {
    return std::find_if(parts.begin(), parts.end(),
                        [&](const TimedPart& part) { return part.name == name; });
  };
  TimedPart softmax{.name = "softmax", .kernel = named("attention")->kernel};
  const std::vector<double>& whole = named("attention")->samples;
  const std::vector<double>& without = named("contractions")->samples;
  for (std::size_t i = 0; i < whole.size(); ++i) softmax.samples.push_back(whole[i] - without[i]);
  parts.push_back(std::move(softmax));
}

}  // namespace

std::string why_not_measured(const LayerType& type) {
  const LayerShape& s = type.shape;
  if (!s.has_attention) return "a layer without attention";
  if (s.reach.chunk) return "attention in chunks is counted, not measured";
  return LinearParts::why_not(s);
}

bool generates(const LayerType& type) { return !type.is_encoder && !type.is_tower; }

double measurement_bytes(const LayerType& type, const CostPoint& at, int threads) {
  const AttentionCase all = prefill_case(type.shape, at, threads);
  const SweepNeeds needs = sweep_needs(all.settings, all.point, all.kernels);
  double workspaces = 0;
  for (const SweepNeed& need : needs.kernels) {
    workspaces += static_cast<double>(need.workspace_bytes);
  }
  // The three steps are set up twice, with their softmax and without.
  workspaces += static_cast<double>(needs.kernels.front().workspace_bytes);
  return LinearParts::bytes(type.shape, extent_of(type.shape, at.nq, at.nk), copies_of(type)) +
         needs.shared_bytes + workspaces;
}

double measurement_flops(const LayerType& type, const CostPoint& at) {
  const LayerCost cost = layer_cost(type.shape, extent_of(type.shape, at.nq, at.nk));
  return 2 * (real(cost.macs()) + 2 * real(cost.attention_macs));
}

LayerMeasurement::LayerMeasurement(const CostMeasureSettings& settings, const LayerType& type,
                                   const CostPoint& at, RunContext& context)
    : settings_(settings),
      type_(type),
      at_(at),
      team_(context.team),
      watch_(context.watch),
      extent_(extent_of(type.shape, at.nq, at.nk)),
      cost_(layer_cost(type.shape, extent_)),
      linear_(type.shape, extent_, copies_of(type)) {}

std::string LayerMeasurement::prefill(std::vector<TimedPart>& out) {
  std::string mistake = linear_.mistake(team_);
  if (!mistake.empty()) return mistake;
  const AttentionCase all = prefill_case(type_.shape, at_, team_.threads());
  const std::unique_ptr<SweepSetup> setup = make_attention_setup(all.settings, all.point);
  std::vector<std::unique_ptr<SweepWork>> works;
  SweepChecker checker(*setup, checked_rows(at_.nq, 1), team_);
  std::vector<Subject> subjects;
  const auto add = [&](TimedPart part, std::function<void()> call) {
    out.push_back(std::move(part));
    subjects.push_back({std::move(call), [this] {
                          return run_peak_probe(simd_isas().back(), kProbeRounds, team_);
                        }});
  };
  const double all_bytes = real(cost_.bytes),
               attention_bytes = bytes_of_parts({"scores", "softmax", "weighted_sum"});
  const double ffn_bytes = bytes_of_parts({"ffn"});
  const double fused_bytes = static_cast<double>(operand_bytes(all.point.problem).value_or(0));
  add({"projections", "blas", real(cost_.projection_macs), all_bytes - attention_bytes - ffn_bytes},
      [this] { linear_.projections(team_); });
  if (real(cost_.ffn_macs) > 0) {
    add({"ffn", "blas", real(cost_.ffn_macs), ffn_bytes}, [this] { linear_.feed_forward(team_); });
  }
  for (const SweepKernel& kernel : all.kernels) {
    works.push_back(setup->prepare(*kernel.kernel));
    SweepWork* const work = works.back().get();
    work->run(team_, watch_);
    const SweepErrors errors = checker.errors(*kernel.kernel);
    if (!errors.is_right() && !watch_.stopped()) {
      return fmt::format("{}: its error is {:.3g} times that of a plain float32 evaluation",
                         kernel.name, errors.error_ratio);
    }
    const bool is_fused = &kernel == &all.fused();
    add({is_fused ? "fused" : "attention", kernel.name, real(cost_.attention_macs),
         is_fused ? fused_bytes : attention_bytes},
        [this, work] { work->run(team_, watch_); });
  }
  // The contractions alone: what the three steps save without their softmax is what that takes.
  std::unique_ptr<Contractions> contractions;
  if (all.three_step() != nullptr) {
    contractions = std::make_unique<Contractions>(*all.three_step(), all.point.problem,
                                                  setup->operands(), team_);
    add({"contractions", all.kernels[0].name, real(cost_.attention_macs),
         bytes_of_parts({"scores", "weighted_sum"})},
        [&contractions] { contractions->run(); });
  }
  sample(subjects, out);
  if (contractions && !watch_.stopped()) add_softmax(out);
  return "";
}

std::string LayerMeasurement::decode(std::vector<TimedPart>& out) {
  const AttentionCase step = decode_case(type_.shape, at_, team_.threads());
  std::string why_not;
  if (!step.fused().kernel->supports(step.point.problem, &why_not)) return why_not;
  const std::unique_ptr<SweepSetup> setup = make_attention_setup(step.settings, step.point);
  const std::unique_ptr<SweepWork> work = setup->prepare(*step.fused().kernel);
  work->run(team_, watch_);
  const SweepErrors errors = SweepChecker(*setup, {0}, team_).errors(*step.fused().kernel);
  if (!errors.is_right() && !watch_.stopped()) return "decode: its result is wrong";
  const Operands operands = setup->operands();
  const auto numbers = [](const ConstView& view) {
    return std::span(reinterpret_cast<const std::byte*>(view.data),
                     static_cast<std::size_t>(element_count(view.shape) * 4));
  };
  const std::span<const std::byte> k = numbers(operands.k), v = numbers(operands.v);
  const auto large = kBandwidthBlock * team_.threads();
  const bool can_read = std::ssize(k) >= large && std::ssize(v) >= large;
  const double bytes = static_cast<double>(k.size() + v.size());
  const LayerCost cost = layer_cost(type_.shape, decode_extent(type_.shape, at_.nk));
  std::vector<Subject> subjects;
  out.push_back({"attention", "decode", real(cost.attention_macs), bytes});
  subjects.push_back({[&] { work->run(team_, watch_); }});
  out.push_back({"linear", "blas", real(cost.projection_macs + cost.ffn_macs),
                 4.0 * static_cast<double>(LinearParts::weights(type_.shape))});
  subjects.push_back({[this] { linear_.token(team_); }});
  if (can_read) {
    out.push_back({"read", "", 0, 0});
    const Isa isa = simd_isas().back();
    out.back().bytes = run_read_probe(isa, k, 1, team_) + run_read_probe(isa, v, 1, team_);
    subjects.push_back({[=, this] {
      run_read_probe(isa, k, 1, team_);
      run_read_probe(isa, v, 1, team_);
    }});
  }
  sample(subjects, out);
  return "";
}

double LayerMeasurement::bytes_of_parts(std::initializer_list<std::string_view> names) const {
  double out = 0;
  for (const LayerPart& part : cost_.parts) {
    if (std::find(names.begin(), names.end(), part.name) != names.end()) out += real(part.bytes);
  }
  return out;
}

void LayerMeasurement::sample(const std::vector<Subject>& subjects, std::vector<TimedPart>& parts) {
  SteadyClock clock;
  const std::vector<Series> series =
      take_samples(subjects, {settings_.repeats, settings_.warmup, settings_.min_time.seconds, 1},
                   clock, watch_);
  for (std::size_t i = 0; i < series.size(); ++i) {
    parts[i].samples = series[i].samples;
    parts[i].peak = series[i].peak;
  }
}

}  // namespace attnlab
