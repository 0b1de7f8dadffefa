#include "experiments/profile_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "experiments/sweep_check.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_setup.h"
#include "machine/peak.h"
#include "measure/sampler.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr std::int64_t kProbeRounds = 400'000;  // about a millisecond

// The kernel without some stages, and how much of its calls' time the team was at work.
class Ablation {
 public:
  Ablation(const Kernel& kernel, const Problem& problem, StageSet left_out)
      : kernel_(kernel), problem_(problem) {
    problem_.left_out = left_out;
  }

  void run(const Operands& operands, std::span<std::byte> workspace, ThreadTeam& team) {
    const double busy = team.busy_seconds(), begin = clock_.now();
    kernel_.run(problem_, operands, workspace, team);
    wall_ += clock_.now() - begin;
    busy_ += team.busy_seconds() - busy;
  }

  // Of the time of all workers, from 0 to 1.
  double busy_share(int threads) const {
    return wall_ > 0 ? std::min(busy_ / (wall_ * threads), 1.0) : 1.0;
  }

 private:
  const Kernel& kernel_;
  Problem problem_;
  SteadyClock clock_;
  double wall_ = 0, busy_ = 0;
};

ProfilePart part_of(std::string name, std::vector<double> samples, std::uint64_t seed) {
  ProfilePart out{.name = std::move(name)};
  out.seconds = median(samples);
  out.interval = median_interval({samples}, seed);
  out.samples = std::move(samples);
  return out;
}

// FLOPs of the two contractions; the other stages have none that count.
std::optional<double> flops_of(Stage stage, const Kernel& kernel, const Problem& problem) {
  const auto pairs = total_pairs(problem, kernel.op);
  if (!pairs || (stage != Stage::kScores && stage != Stage::kSum)) return std::nullopt;
  return 2.0 * static_cast<double>(*pairs) *
         static_cast<double>(stage == Stage::kScores ? problem.head_dim : problem.head_dim_v);
}

class Measurement {
 public:
  Measurement(const SweepSettings& settings, const SweepPoint& point, const Kernel& kernel,
              Watch& watch)
      : settings_(settings),
        point_(point),
        kernel_(kernel),
        watch_(watch),
        team_(point.threads),  // after the counters, which its threads inherit
        setup_(make_attention_setup(settings, point)),
        operands_(setup_->operands()),
        workspace_(kernel.workspace(point.problem, point.threads)) {
    if (kernel.prepare) kernel.prepare(point.problem, workspace_.span(), point.threads);
  }

  Profile run() {
    Profile out;
    out.absent = counters_.absent();
    // What a run without a stage finds in its place is what this one left there.
    kernel_.run(point_.problem, operands_, workspace_.span(), team_);
    const SweepErrors errors = check();
    if (!errors.is_right()) {
      out.status = "failed";
      out.reason = fmt::format(
          "the whole kernel's error is {:.3g} times that of a plain float32 "
          "evaluation, {} are allowed",
          errors.error_ratio, kLargestErrorRatio);
      return out;
    }
    time(out);
    return out;
  }

 private:
  SweepErrors check() {
    return SweepChecker(*setup_, checked_rows(point_.problem.nq, point_.problem.seed), team_)
        .errors(kernel_);
  }

  void time(Profile& out) {
    const std::vector<Stage> stages = profiled_stages(kernel_, point_.problem);
    std::vector<Ablation> ablations{{kernel_, point_.problem, StageSet()}};
    for (const Stage stage : stages) {
      ablations.emplace_back(kernel_, point_.problem, StageSet(stage));
    }
    ablations.emplace_back(kernel_, point_.problem, kernel_.stages);
    std::vector<Subject> subjects;
    subjects.reserve(ablations.size());
    for (Ablation& one : ablations) {
      subjects.push_back({[this, &one] { one.run(operands_, workspace_.span(), team_); }});
    }
    subjects.front().probe = [this] {
      return run_peak_probe(peak_isa(kernel_.isa), kProbeRounds, team_);
    };
    team_.measure_busy(true);
    SteadyClock clock;
    const std::vector<Series> series = take_samples(
        subjects,
        {settings_.repeats, settings_.warmup, settings_.min_time.seconds, point_.problem.seed},
        clock, watch_);
    if (watch_.stopped()) return;
    out.peak = series.front().peak;
    add_parts(stages, ablations, series, out);
    count(series.front().batch, out);
  }

  void add_parts(const std::vector<Stage>& stages, const std::vector<Ablation>& ablations,
                 const std::vector<Series>& series, Profile& out) const {
    const auto work = [&](std::size_t i) {  // seconds of a call in which the team was at work
      std::vector<double> seconds = series[i].samples;
      for (double& s : seconds) s *= ablations[i].busy_share(point_.threads);
      return seconds;
    };
    const std::uint64_t seed = point_.problem.seed;
    const std::vector<double> whole = work(0);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::vector<double> saved = work(i + 1);  // a round times all: its samples are pairs
      for (std::size_t j = 0; j < saved.size(); ++j) saved[j] = whole[j] - saved[j];
      out.parts.push_back(part_of(std::string(stage_name(stages[i])), std::move(saved), seed));
      out.parts.back().flops = flops_of(stages[i], kernel_, point_.problem);
    }
    ProfilePart total = part_of("total", series.front().samples, seed);
    total.flops = 2.0 * static_cast<double>(kernel_.macs(point_.problem));
    const double busy = ablations.front().busy_share(point_.threads);
    out.parts.push_back({.name = "waiting", .seconds = total.seconds * (1 - busy)});
    out.parts.push_back(part_of("rest", work(stages.size() + 1), seed));
    ProfilePart sum{.name = "sum"};
    for (const ProfilePart& part : out.parts) sum.seconds += part.seconds;
    out.parts.push_back(std::move(sum));
    out.parts.push_back(std::move(total));
  }

  void count(std::int64_t calls, Profile& out) {
    team_.measure_busy(false);
    counters_.start();
    for (std::int64_t i = 0; i < calls; ++i) {
      kernel_.run(point_.problem, operands_, workspace_.span(), team_);
    }
    out.counts = counters_.counts();
    for (PerfCounters::Count& one : out.counts) one.value /= static_cast<double>(calls);
  }

  const SweepSettings& settings_;
  const SweepPoint& point_;
  const Kernel& kernel_;
  Watch& watch_;
  PerfCounters counters_;
  ThreadTeam team_;
  std::unique_ptr<SweepSetup> setup_;
  Operands operands_;
  AlignedBuffer workspace_;
};

}  // namespace

std::vector<Stage> profiled_stages(const Kernel& kernel, const Problem& problem) {
  std::vector<Stage> out;
  for (const Stage stage : kStages) {
    if (!kernel.stages.has(stage)) continue;
    const bool converts = problem.dtype != Dtype::kF32 || kernel.products != Dtype::kF32;
    if (stage == Stage::kConversion && !converts) continue;
    out.push_back(stage);
  }
  return out;
}

Profile measure_profile(const SweepSettings& settings, const SweepPoint& point,
                        const Kernel& kernel, Watch& watch) {
  return Measurement(settings, point, kernel, watch).run();
}

}  // namespace attnlab
