// Time, memory and error of attention kernels against the sequence length, with fits and
// crossovers. One point of the grid is one length and one value of every other list; its kernels
// are checked and then timed against each other. docs/sweep.md tells how it measures.
#include <limits>

#include "experiments/experiment.h"
#include "experiments/sweep_derived.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_measure.h"
#include "experiments/sweep_processes.h"
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
    kernels_ = settings_.kernels();
  }

  std::vector<Table> tables() const override { return sweep_tables(settings_, *parameters_); }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const SweepPoint& point : grid_) {
      Point& one = out.emplace_back();
      one.label = sweep_label(settings_, point);
      one.parts = sweep_parts(settings_, point, kernels_, limits_);
      for (const PointPart& part : one.parts) {
        one.bytes = std::max(one.bytes, part.bytes);
        if (part.status == "ok") one.seconds += part.seconds;
      }
    }
    return out;
  }

  // What the runner adds when a whole point failed.
  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    return add_sweep_row(settings_, grid_[point], kernels_.front(), table);
  }

  void run(std::size_t index, RunContext& context, std::vector<Table>& tables) override {
    const SweepPoint& point = grid_[index];
    const std::vector<SweepRow> rows = measure(point, context);
    if (context.watch.stopped()) return;
    write_sweep_rows(settings_, point, kernels_, rows, tables);
  }

  void finish(std::vector<Table>& tables) override {
    derive_sweep_tables(static_cast<std::uint64_t>(settings_.seed), tables);
  }

 private:
  std::vector<SweepRow> measure(const SweepPoint& point, RunContext& context) {
    const std::vector<PointPart> parts = sweep_parts(settings_, point, kernels_, limits_);
    const std::optional<std::int64_t> process = sweep_process();
    if (settings_.runs > 1 && !process) {
      return measure_in_processes(*parameters_, settings_, point, kernels_, limits_.bytes,
                                  context.watch);
    }
    if (context.team.threads() == point.threads) {
      return measure_point(settings_, point, kernels_, parts, process.value_or(0), rates_,
                           context.team, context.watch);
    }
    ThreadTeam team(point.threads);
    return measure_point(settings_, point, kernels_, parts, process.value_or(0), rates_, team,
                         context.watch);
  }

  SweepSettings settings_;
  const ParameterList* parameters_ = nullptr;
  SweepLimits limits_{};
  std::vector<SweepPoint> grid_;
  std::vector<SweepKernel> kernels_;
  SweepRates rates_;
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
          true};
}

}  // namespace attnlab
