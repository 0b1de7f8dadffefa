// Where a kernel's time goes, stage by stage. One point is a kernel at one length and one value of
// every other list; its rows are the stages and what they add up to. docs/performance.md tells how
// to read them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "attention/registry.h"
#include "experiments/experiment.h"
#include "experiments/limits.h"
#include "experiments/profile_measure.h"
#include "experiments/sweep_estimate.h"
#include "machine/machine.h"

namespace attnlab {
namespace {

enum ProfileTable { kProfileTable, kCountersTable };

std::vector<Column> profile_columns() {
  using K = ColumnKind;
  const auto column = [](std::string name, std::string help, ColumnKind kind, std::string unit = "",
                         Better better = Better::kNone) {
    return Column{.name = std::move(name),
                  .help = std::move(help),
                  .kind = kind,
                  .unit = std::move(unit),
                  .better = better};
  };
  Column time = column("time",
                       "seconds of a call that the stage costs: the whole kernel's less those "
                       "without the stage",
                       K::kTimed, "s", Better::kLower);
  time.interval_low = "time_low";
  time.interval_high = "time_high";
  return {status_column(),
          reason_column(),
          std::move(time),
          column("time_low", "lower end of its 95 % bootstrap interval", K::kDerived, "s"),
          column("time_high", "upper end of its 95 % bootstrap interval", K::kDerived, "s"),
          column("share", "time over that of the whole kernel", K::kDerived),
          column("flops", "that the operator needs in this stage", K::kExact, "FLOP"),
          column("flops_per_second", "flops / time", K::kDerived, "FLOP/s", Better::kHigher),
          column("peak_share", "flops_per_second over the peak of a probe beside the kernel",
                 K::kDerived, "", Better::kHigher)};
}

// Why a kernel has no stages that can be left out.
std::string why_no_stages(const Kernel& kernel) {
  if (!has_softmax(kernel.op)) {
    return "it has neither scores nor softmax: keys are summed before a query is seen";
  }
  return "it works key by key, and none of its steps can be left out without the others";
}

class ProfileExperiment : public Experiment {
 public:
  ProfileExperiment() {
    settings_.n = {2048};
    settings_.kernel = {"flash"};
    settings_.d_model = {768};
    settings_.heads = {12};
    settings_.repeats = 20;
  }

  void declare(ParameterList& list) override {
    settings_.declare_grid(list, "kernels whose stages are measured");
    settings_.declare_sizes(list);
    settings_.declare_operator(list);
    settings_.declare_running(list);
    settings_.declare_seed(list);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    const std::size_t before = mistakes.size();
    settings_.check(place, mistakes);
    check_stages(place, mistakes);
    if (mistakes.size() > before) return;
    subjects_.clear();
    for (const SweepPoint& point : settings_.points(usable_threads(read_machine()))) {
      for (SweepKernel& kernel : settings_.kernels(point.problem)) {
        subjects_.push_back({point, std::move(kernel)});
      }
    }
  }

  std::vector<Table> tables() const override {
    std::vector<Column> stages = common_columns("stage", "part of the kernel's work");
    for (Column& column : profile_columns()) stages.push_back(std::move(column));
    std::vector<Column> counters = common_columns("counter", "event, as perf calls it");
    counters.push_back({.name = "per_call",
                        .help = "events of a call of the whole kernel, all threads",
                        .kind = ColumnKind::kDerived});
    Table detail("counters", "profile", std::move(counters));
    detail.is_detail = true;
    return {Table("profile", "profile", std::move(stages)), std::move(detail)};
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const auto& [point, kernel] = subjects_[i];
      const SweepNeeds needs = sweep_needs(settings_, point, {kernel});
      const SweepNeed& need = needs.kernels.front();
      Point& one = out.emplace_back();
      one.label = points_label(i);
      if (!need.why_not.empty()) continue;  // run() says so
      // The whole kernel, and once without each of its stages and without all of them.
      const std::size_t runs = profiled_stages(*kernel.kernel, point.problem).size() + 2;
      one.bytes = needs.shared_bytes + static_cast<double>(need.workspace_bytes);
      one.seconds = need.seconds * static_cast<double>(runs) * point.threads;
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t index, Table& table) const override {
    const auto& [point, kernel] = subjects_[index];
    Table::RowWriter row = table.add_row();
    row.set("kernel", kernel.name).set("isa", kernel.isa);
    for (const std::string& axis : axes()) {
      const Json value = axis_value(point, axis);
      if (value.is_string()) {
        row.set(axis, value.get<std::string>());
      } else {
        row.set(axis, value.get<std::int64_t>());
      }
    }
    return row;
  }

  void run(std::size_t index, RunContext& context, std::vector<Table>& tables) override {
    const auto& [point, choice] = subjects_[index];
    const std::string why_not = sweep_needs(settings_, point, {choice}).kernels.front().why_not;
    if (!why_not.empty()) {
      add_row(index, tables[kProfileTable]).set("status", "skipped").set("reason", why_not);
      return;
    }
    const Profile profile = measure_profile(settings_, point, *choice.kernel, context.watch);
    if (context.watch.stopped()) return;
    if (profile.status != "ok") {
      add_row(index, tables[kProfileTable])
          .set("status", profile.status)
          .set("reason", profile.reason);
      return;
    }
    write_parts(index, profile, tables[kProfileTable]);
    write_counters(index, profile, tables);
  }

 private:
  void check_stages(const std::string& place, std::vector<Mistake>& mistakes) const {
    std::string offered;
    for (const Kernel* kernel : runnable_kernels()) {
      const std::string name(kernel->name);
      if (kernel->stages.empty() || offered.find(name) != std::string::npos) continue;
      offered += (offered.empty() ? "" : ", ") + name;
    }
    for (const std::string& name : settings_.kernel) {
      const Kernel* const kernel = find_kernel(name);
      if (!kernel->stages.empty()) continue;
      mistakes.push_back({child_place(place, "kernel"),
                          fmt::format("{} cannot be profiled: {}", name, why_no_stages(*kernel)),
                          "give one of " + offered});
    }
  }

  std::vector<std::string> axes() const {
    std::vector<std::string> out = sweep_axes(settings_);
    out.insert(out.end(), {"dtype", "threads", "n"});
    return out;
  }

  std::vector<Column> common_columns(const std::string& last, const std::string& help) const {
    std::vector<Column> out{parameter_column(*parameters_, "kernel"),
                            parameter_column(*parameters_, "isa")};
    for (const std::string& axis : axes()) out.push_back(parameter_column(*parameters_, axis));
    out.push_back({.name = last, .help = help, .kind = ColumnKind::kParameter});
    return out;
  }

  void write_parts(std::size_t index, const Profile& profile, Table& table) const {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    const double total = profile.parts.back().seconds;
    for (const ProfilePart& part : profile.parts) {
      Table::RowWriter row = add_row(index, table);
      row.set("stage", part.name)
          .set("time", part.seconds)
          .set("time_low", part.interval ? part.interval->low : kNothing)
          .set("time_high", part.interval ? part.interval->high : kNothing)
          .set("share", part.seconds / total);
      const bool is_call = part.name == "total" || part.name == "rest";  // others are differences
      if (is_call) row.row().time_samples = {part.samples};
      if (!part.flops) continue;
      row.set("flops", static_cast<std::int64_t>(*part.flops));
      if (part.seconds <= 0) continue;  // a difference lost in noise has no rate
      row.set("flops_per_second", *part.flops / part.seconds)
          .set("peak_share", *part.flops / part.seconds / profile.peak);
    }
    const double sum = profile.parts[profile.parts.size() - 2].seconds;
    table.add_note(fmt::format(
        "{}: the parts add up to {:.0f} % of the whole kernel. Stages overlap in the processor, so "
        "that one which is left out may save more or less than it takes by itself.",
        points_label(index), 100 * sum / total));
  }

  void write_counters(std::size_t index, const Profile& profile, std::vector<Table>& tables) const {
    for (const PerfCounters::Count& one : profile.counts) {
      add_row(index, tables[kCountersTable]).set("counter", one.name).set("per_call", one.value);
    }
    std::string reasons;
    for (const PerfCounters::Absent& one : profile.absent) {
      if (reasons.find(one.reason) == std::string::npos) {
        reasons += (reasons.empty() ? "" : "; ") + one.reason;
      }
    }
    if (reasons.empty()) return;
    std::string names;
    for (const PerfCounters::Absent& one : profile.absent) {
      names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    tables[kProfileTable].add_note("No " + names + ": " + reasons + ".");
  }

  std::string points_label(std::size_t index) const {
    const auto& [point, kernel] = subjects_[index];
    return fmt::format("{}/{} {}", kernel.name, kernel.isa, sweep_label(settings_, point));
  }

  SweepSettings settings_;
  const ParameterList* parameters_ = nullptr;
  struct Subject {
    SweepPoint point;
    SweepKernel kernel;
  };
  std::vector<Subject> subjects_;  // every kernel of every point
};

}  // namespace

ExperimentInfo profile_experiment() {
  return {
      "profile",
      "where a kernel's time goes, stage by stage, with shares of the peak",
      "by ablation; Dao 2023 (FlashAttention-2), section 3.1, on what is no matrix product",
      {"attnlab profile --n 512", "attnlab profile --kernel flash,naive --n 256,512 --threads 1",
       "attnlab profile --n 512 --dtype bf16 --causal top-left --table counters"},
      [] { return std::unique_ptr<Experiment>(new ProfileExperiment); },
      {},
      true};
}

}  // namespace attnlab
