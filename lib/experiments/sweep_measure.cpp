#include "experiments/sweep_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "experiments/limits.h"
#include "machine/peak.h"
#include "measure/sampler.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

constexpr std::int64_t kProbeRounds = 400'000;  // about a millisecond
constexpr std::int64_t kTrialLength = 256;      // of the call that gives the first rate

// A row on its way: the kernel, its work once it is set up, and what is found of it.
struct Candidate {
  const SweepKernel* kernel = nullptr;
  std::unique_ptr<SweepWork> work;
  SweepRow row;

  bool is_ok() const { return row.status == "ok"; }
  void end(std::string status, std::string reason) {
    work.reset();
    row.status = std::move(status);
    row.reason = std::move(reason);
  }
  // An error ends this row and no other.
  void attempt(const std::function<void()>& body) {
    auto [status, why] = outcome_of(body);
    if (status != "ok") end(std::move(status), std::move(why));
  }
};

class PointMeasurement {
 public:
  PointMeasurement(const SweepSettings& settings, const SweepPoint& point, SweepRates& rates,
                   ThreadTeam& team, Watch& watch)
      : settings_(settings), point_(point), rates_(rates), team_(team), watch_(watch) {
    if (settings.max_time) allowed_seconds_ = settings.max_time->seconds;
  }

  // A typical rate may be far off on this machine: measured ones decide what the time allows, and
  // what is left must fit the memory together.
  std::vector<Candidate> candidates(const std::vector<SweepKernel>& kernels,
                                    const SweepNeeds& needs, double allowed_bytes) {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    std::vector<PointPart> parts = sweep_parts(kernels, needs, {allowed_bytes, kForever});
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Candidate& one = out.emplace_back();
      one.kernel = &kernels[i];
      one.row.status = parts[i].status;
      one.row.reason = parts[i].reason;
      const SweepNeed& need = needs.kernels[i];
      if (!need.why_not.empty()) continue;
      one.row.macs = need.macs;
      one.row.workspace_bytes = need.workspace_bytes;
      one.row.working_set_bytes = needs.operand_bytes + need.workspace_bytes;
      if (one.is_ok()) one.attempt([&] { foresee(one); });
      parts[i].status = one.row.status;
    }
    refuse_together(needs, allowed_bytes, parts);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].is_ok() && parts[i].status != "ok") out[i].end(parts[i].status, parts[i].reason);
    }
    return out;
  }

  // Sets the kernel up, runs it once, and holds its output against the references.
  void check(Candidate& one, SweepSetup& setup, SweepChecker& checker, Clock& clock) {
    if (watch_.stopped()) return;
    one.attempt([&] {
      const View output = setup.output();
      std::memset(
          output.data, 0xFF,  // a NaN in every dtype
          static_cast<std::size_t>(element_count(output.shape) * dtype_bytes(output.dtype)));
      const std::int64_t before = AlignedBuffer::bytes_in_use();
      AlignedBuffer::reset_peak();
      one.work = setup.prepare(*one.kernel->kernel);
      const double start = clock.now();
      one.work->run(team_, watch_);
      const double seconds = clock.now() - start;
      const std::int64_t allocated = AlignedBuffer::peak_bytes() - before;
      if (watch_.stopped()) return;
      rates_.learn(*one.kernel, point_, static_cast<double>(*one.row.macs), seconds);
      one.row.errors = checker.errors(*one.kernel->kernel);
      if (!one.row.errors->is_right()) {
        return one.end("failed", wrong_result(*one.row.errors, *one.kernel->kernel));
      }
      if (allocated != *one.row.workspace_bytes) {
        return one.end("failed",
                       fmt::format("it allocated {} bytes of workspace, its formula says {}",
                                   allocated, *one.row.workspace_bytes));
      }
      judge_time(one, seconds);
    });
  }

  void time(std::vector<Candidate>& all, SweepSetup& setup, std::int64_t process, Clock& clock) {
    std::vector<Subject> subjects;
    std::vector<Candidate*> timed;
    for (Candidate& one : all) {
      if (!one.is_ok()) continue;
      timed.push_back(&one);
      subjects.push_back({[this, &one] { one.work->run(team_, watch_); },
                          [this, &one] {
                            return run_peak_probe(peak_isa(one.kernel->kernel->isa), kProbeRounds,
                                                  team_);
                          }});
    }
    const std::unique_ptr<SweepWork> first_token = timed.empty() ? nullptr : setup.first_token();
    if (first_token) subjects.push_back({[&] { first_token->run(team_, watch_); }});
    const SamplerSettings sampler{.repeats = settings_.repeats,
                                  .warmup = settings_.warmup,
                                  .min_time = settings_.min_time.seconds,
                                  .seed = order_seed(process)};
    std::vector<Series> series = take_samples(subjects, sampler, clock, watch_);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      SweepRow& row = timed[i]->row;
      if (series[i].peak > 0) row.peak = series[i].peak;
      if (!series[i].samples.empty()) {
        const double best = *std::min_element(series[i].samples.begin(), series[i].samples.end());
        rates_.learn(*timed[i]->kernel, point_, static_cast<double>(*row.macs), best);
      }
      if (first_token && !series.back().samples.empty()) {
        row.first_token.push_back(median(series.back().samples));
      }
      row.samples.push_back(std::move(series[i].samples));
      row.orders.push_back(std::move(series[i].order));
    }
  }

 private:
  // Another order for every length and process, the same for every run of the program.
  std::uint64_t order_seed(std::int64_t process) const {
    const std::uint64_t parts[] = {point_.problem.seed, static_cast<std::uint64_t>(point_.n),
                                   static_cast<std::uint64_t>(process)};
    std::uint64_t out = 0;
    for (const std::uint64_t part : parts) out = (out + part) * 0x9E3779B97F4A7C15u;
    return out ^ (out >> 32);
  }

  static std::string wrong_result(const SweepErrors& errors, const Kernel& kernel) {
    if (std::isnan(errors.max_error))
      return "its result has NaN or infinity where the truth has none";
    return fmt::format(
        "its error is {:.3g} times that of {}, {} are allowed", errors.error_ratio,
        kernel.products == Dtype::kBf16 ? "three steps in bf16" : "a plain float32 evaluation",
        kLargestErrorRatio);
  }

  // Skips what would take too long, by what shorter calls took.
  void foresee(Candidate& one) {
    if (std::isinf(allowed_seconds_)) return;
    const auto macs = static_cast<double>(*one.row.macs);
    if (!rates_.seconds(*one.kernel, point_, macs)) learn_from_trial(one);
    if (const auto seconds = rates_.seconds(*one.kernel, point_, macs)) judge_time(one, *seconds);
  }

  void judge_time(Candidate& one, double call_seconds) {
    const double inf = std::numeric_limits<double>::infinity();
    auto [status, reason] =
        forecast(0, row_seconds(settings_, call_seconds), inf, allowed_seconds_);
    if (status != "ok") one.end(std::move(status), std::move(reason));
  }

  // A first rate: the same problem, cut to a short sequence.
  void learn_from_trial(const Candidate& one) {
    SweepPoint trial = point_;
    trial.n = std::min(point_.n, kTrialLength);
    trial.problem.nk = std::min(point_.problem.nk, kTrialLength);
    trial.problem.nq = std::min(point_.problem.nq, kTrialLength);
    const SweepNeed need = sweep_needs(settings_, trial, {*one.kernel}).kernels.front();
    if (!need.why_not.empty()) return;
    const auto setup = make_sweep_setup(settings_, trial);
    const auto work = setup->prepare(*one.kernel->kernel);
    work->run(team_, watch_);
    SteadyClock clock;
    const double start = clock.now();
    work->run(team_, watch_);
    rates_.learn(*one.kernel, point_, static_cast<double>(need.macs), clock.now() - start);
  }

  const SweepSettings& settings_;
  const SweepPoint& point_;
  SweepRates& rates_;
  ThreadTeam& team_;
  Watch& watch_;
  double allowed_seconds_ = std::numeric_limits<double>::infinity();
};

std::string rate_key(const SweepKernel& kernel, const SweepPoint& point) {
  return fmt::format("{}/{}/{}/{}", kernel.name, kernel.isa, dtype_name(point.problem.dtype),
                     point.threads);
}

}  // namespace

void SweepRates::learn(const SweepKernel& kernel, const SweepPoint& point, double macs,
                       double seconds) {
  if (macs > 0 && seconds > 0) rates_[rate_key(kernel, point)] = seconds / macs;
}

std::optional<double> SweepRates::seconds(const SweepKernel& kernel, const SweepPoint& point,
                                          double macs) const {
  const auto found = rates_.find(rate_key(kernel, point));
  if (found == rates_.end()) return std::nullopt;
  return found->second * macs;
}

std::vector<SweepRow> measure_point(const SweepSettings& settings, const SweepPoint& point,
                                    const std::vector<SweepKernel>& kernels,
                                    const SweepNeeds& needs, double allowed_bytes,
                                    std::int64_t process, SweepRates& rates, ThreadTeam& team,
                                    Watch& watch) {
  SteadyClock clock;
  PointMeasurement measurement(settings, point, rates, team, watch);
  std::vector<Candidate> all = measurement.candidates(kernels, needs, allowed_bytes);
  const bool any =
      std::any_of(all.begin(), all.end(), [](const Candidate& one) { return one.is_ok(); });
  if (any && !watch.stopped()) {
    // An error of the inputs concerns every kernel that would have run on them.
    const auto [status, reason] = outcome_of([&] {
      const std::unique_ptr<SweepSetup> setup = make_sweep_setup(settings, point);
      SweepChecker checker(*setup, checked_rows(point.problem.nq, point.problem.seed), team);
      for (Candidate& one : all) {
        if (one.is_ok()) measurement.check(one, *setup, checker, clock);
      }
      if (!watch.stopped()) measurement.time(all, *setup, process, clock);
      for (Candidate& one : all) one.work.reset();
    });
    for (Candidate& one : all) {
      if (status != "ok" && one.is_ok()) one.end(status, reason);
    }
  }
  std::vector<SweepRow> out;
  for (Candidate& one : all) out.push_back(std::move(one.row));
  return out;
}

}  // namespace attnlab
