// Time, memory and error of attention kernels against the sequence length, with fits and
// crossovers. One point of the grid is one length and one value of every other list; its kernels
// are checked and then timed against each other. docs/sweep.md tells how it measures.
#include <limits>
#include <optional>

#include "experiments/experiment.h"
#include "experiments/limits.h"
#include "experiments/sweep_derived.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_measure.h"
#include "experiments/sweep_processes.h"
#include "experiments/sweep_rounds.h"
#include "experiments/sweep_tables.h"
#include "machine/machine.h"

namespace attnlab {
namespace {

class Sweep : public Experiment {
 public:
  void declare(ParameterList& list) override {
    settings_.declare(list);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    const std::size_t before = mistakes.size();
    settings_.check(place, mistakes);
    if (mistakes.size() > before) return;
    const Machine machine = read_machine();
    limits_.bytes = settings_.max_memory ? static_cast<double>(settings_.max_memory->bytes)
                                         : 0.9 * static_cast<double>(machine.available_bytes);
    limits_.seconds =
        settings_.max_time ? settings_.max_time->seconds : std::numeric_limits<double>::infinity();
    grid_ = settings_.points(usable_threads(machine));
    kernels_.clear();
    for (const SweepPoint& point : grid_) kernels_.push_back(settings_.kernels(point.problem));
    needs_.clear();
    rounds_.reset();
    process_ = sweep_process();
    row_settings_ = settings_;
    if (process_) row_settings_.runs = process_->count;  // limits are those of the whole row
  }

  std::vector<Table> tables() const override { return sweep_tables(settings_, *parameters_); }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      Point& one = out.emplace_back();
      one.label = sweep_label(settings_, grid_[i]);
      one.parts = sweep_parts(kernels_[i], needs(i), limits_);
      refuse_together(needs(i), limits_.bytes, one.parts);
      for (const PointPart& part : one.parts) {
        one.bytes = std::max(one.bytes, part.bytes);
        if (part.status == "ok") one.seconds += part.seconds;
      }
    }
    if (in_rounds()) {
      std::vector<double> seconds;
      for (const Point& one : out) seconds.push_back(one.seconds);
      seconds = stretches_of(seconds);
      for (std::size_t i = 0; i < out.size(); ++i) out[i].seconds = seconds[i];
    }
    return out;
  }

  // What the runner adds for an error that run() does not know.
  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    return add_sweep_row(settings_, grid_[point], kernels_[point].front(), table);
  }

  void run(std::size_t index, RunContext& context, std::vector<Table>& tables) override {
    std::vector<SweepRow> rows;
    const auto [status, reason] = outcome_of([&] { rows = measure(index, context); });
    if (context.watch.stopped()) return;
    if (status != "ok") rows = rows_without_times(index, status, reason);
    write_sweep_rows(settings_, grid_[index], kernels_[index], rows, tables);
  }

  void finish(std::vector<Table>& tables) override {
    derive_sweep_tables(static_cast<std::uint64_t>(settings_.seed), tables);
  }
  bool finish_changes_rows() const override { return true; }

 private:
  // Pairs are many: they are counted once a point, when it is planned.
  const SweepNeeds& needs(std::size_t index) const {
    needs_.resize(grid_.size());
    std::optional<SweepNeeds>& known = needs_[index];
    if (!known) known = sweep_needs(row_settings_, grid_[index], kernels_[index]);
    return *known;
  }

  bool in_rounds() const { return settings_.runs > 1 && !process_; }

  SweepRounds& rounds() {
    if (rounds_) return *rounds_;
    std::vector<double> stretches;
    for (const Point& point : points()) stretches.push_back(point.seconds);
    const auto run = [this](std::size_t point, std::int64_t process, const Watch& watch) {
      return run_sweep_process(*parameters_, settings_, grid_[point], process, limits_.bytes,
                               watch);
    };
    return rounds_.emplace(kernels_, settings_.runs, std::move(stretches), run);
  }

  std::vector<SweepRow> measure(std::size_t index, RunContext& context) {
    const SweepPoint& point = grid_[index];
    if (in_rounds()) return rounds().rows(index, context.watch);
    const auto with_team = [&](ThreadTeam& team) {
      return measure_point(row_settings_, point, kernels_[index], needs(index), limits_.bytes,
                           process_ ? process_->index : 0, rates_, team, context.watch);
    };
    if (context.team.threads() == point.threads) return with_team(context.team);
    ThreadTeam team(point.threads);
    return with_team(team);
  }

  // Of a point that could not be measured at all: every kernel says so.
  std::vector<SweepRow> rows_without_times(std::size_t index, const std::string& status,
                                           const std::string& reason) const {
    std::vector<SweepRow> out(kernels_[index].size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::string& why_not = needs(index).kernels[i].why_not;
      out[i].status = why_not.empty() ? status : "skipped";
      out[i].reason = why_not.empty() ? reason : why_not;
    }
    return out;
  }

  SweepSettings settings_;
  SweepSettings row_settings_;  // the same, with the runs of all processes that share the row
  std::optional<SweepProcess> process_;
  const ParameterList* parameters_ = nullptr;
  SweepLimits limits_{};
  std::vector<SweepPoint> grid_;
  std::vector<std::vector<SweepKernel>> kernels_;  // of each point
  mutable std::vector<std::optional<SweepNeeds>> needs_;
  SweepRates rates_;
  std::optional<SweepRounds> rounds_;
};

}  // namespace

ExperimentInfo sweep_experiment() {
  return {"sweep",
          "time, memory and error of attention kernels against n; fits; crossovers",
          "Vaswani et al. 2017, section 3.2; Dao et al., FlashAttention, 2022",
          {"attnlab sweep",
           "attnlab sweep --n 512:4096:x2 --kernel flash,window,linear --heads 1 "
           "--head-dim 64",
           "attnlab sweep --phase generate --kernel decode --n 64,128,256 --runs 3",
           "attnlab sweep --scope module --repeats 10 --format csv --table fits"},
          [] { return std::unique_ptr<Experiment>(new Sweep); },
          {},
          true};
}

}  // namespace attnlab
