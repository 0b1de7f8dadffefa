#include "app/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "app/saver.h"
#include "experiments/limits.h"
#include "report/expectation.h"

namespace attnlab {
namespace {

// The tables of one experiment within the result.
struct TableRange {
  std::size_t first, count;
};

// Takes the tables of one experiment out of the result, and puts them back.
std::vector<Table> take_tables(Result& result, const TableRange& range) {
  const auto begin = result.tables.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {std::make_move_iterator(begin),
          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(range.count))};
}
void put_tables(Result& result, const TableRange& range, std::vector<Table>& tables) {
  std::move(tables.begin(), tables.end(),
            result.tables.begin() + static_cast<std::ptrdiff_t>(range.first));
}

// The rows and notes of a point, which leaves its tables empty.
PointRows take_rows(std::vector<Table>& tables, std::size_t first_table) {
  PointRows out{first_table, {}, {}};
  for (Table& table : tables) {
    out.rows.push_back(std::exchange(table.rows, {}));
    out.notes.push_back(std::exchange(table.notes, {}));
  }
  return out;
}

void run_point(Experiment& experiment, std::size_t index, const Point& point,
               const RunLimits& limits, RunContext& context, std::vector<Table>& tables,
               std::vector<PointError>& errors) {
  auto [status, reason] = forecast(point, limits);
  if (status == "ok") {
    bool is_input = false;
    std::tie(status, reason) = outcome_of([&] {
      try {
        experiment.run(index, context, tables);
      } catch (const UserError&) {
        is_input = true;
        throw;
      }
    });
    if (status == "ok") return;
    take_rows(tables, 0);  // what it had added so far
    if (status == "failed") errors.push_back({reason, is_input});
  }
  experiment.add_row(index, tables.front()).set("status", status).set("reason", reason);
}

std::vector<Expectation> verdicts(const PlannedExperiment& planned,
                                  const std::vector<Table>& tables, bool finished) {
  const std::string reason = planned.made_quick ? "--quick changed the experiment"
                             : !finished        ? "the run was interrupted"
                                                : "";
  return reason.empty() ? evaluate_expectations(planned.expect, tables)
                        : skipped_expectations(planned.expect, tables, reason);
}

// Runs the points of one experiment after the other; knows where in the result it is.
class Runner {
 public:
  Runner(const RunLimits& limits, Progress& progress, Output& output, Result& result)
      : limits_(limits),
        progress_(progress),
        output_(output),
        result_(result),
        team_(limits.threads),
        context_{team_, progress_},
        done_before_(result.points.done),
        saver_(output, result) {}

  // False when a signal stopped it.
  bool run(std::size_t number, PlannedExperiment& planned) {
    Experiment& experiment = *planned.experiment;
    std::vector<Table> tables = experiment.tables();
    const TableRange range{next_table_, tables.size()};
    next_table_ += tables.size();
    const std::string name(planned.info->name);
    std::optional<PointRows> last;  // goes into the result together with what finish() adds
    bool stopped = false, is_new = false;
    for (std::size_t i = 0; i < planned.points.size() && !stopped; ++i) {
      const Point& point = planned.points[i];
      if (next_point_++ < done_before_) {
        progress_.skip(number, point);
        continue;
      }
      if (!progress_.stopped()) {
        progress_.begin(number, name, point);
        run_point(experiment, i, point, limits_, context_, tables, errors_);
      }
      stopped = progress_.stopped();
      if (stopped) break;  // what it added is half a point
      progress_.end();
      is_new = true;
      PointRows rows = take_rows(tables, range.first);
      if (i + 1 < planned.points.size()) {
        saver_.add(std::move(rows));
      } else {
        last = std::move(rows);
      }
    }
    auto held = saver_.take();
    if (last) append_rows(*last, result_);
    finish(planned, range, !stopped, is_new && !stopped);
    saver_.give_back(std::move(held));
    return !stopped;
  }

  std::vector<PointError> complete(bool stopped) {
    auto held = saver_.take();
    result_.status = stopped ? Status::kInterrupted : Status::kComplete;
    return std::move(errors_);
  }

 private:
  void finish(const PlannedExperiment& planned, const TableRange& range, bool finished,
              bool is_new) {
    std::vector<Table> tables = take_tables(result_, range);
    if (is_new) planned.experiment->finish(tables);
    std::vector<Expectation> found = verdicts(planned, tables, finished);
    std::move(found.begin(), found.end(), std::back_inserter(result_.expectations));
    put_tables(result_, range, tables);
    if (!is_new || !planned.experiment->finish_changes_rows()) return;
    for (std::size_t i = 0; i < range.count; ++i) output_.forget_rows(range.first + i);
  }

  const RunLimits& limits_;
  Progress& progress_;
  Output& output_;
  Result& result_;
  ThreadTeam team_;
  RunContext context_;
  std::vector<PointError> errors_;
  std::size_t done_before_, next_point_ = 0, next_table_ = 0;
  Saver saver_;
};

bool any_row(const Result& result, const std::string& status, bool all) {
  bool any = false;
  for (const Table& table : result.tables) {
    const int index = table.index_of("status");
    if (index < 0) continue;
    for (const Row& row : table.rows) {
      const bool has = row.cells[static_cast<std::size_t>(index)] == Cell(status);
      if (all && !has) return false;
      any = any || has;
    }
  }
  return any;
}

}  // namespace

Result empty_result(const Plan& plan) {
  Result result;
  result.name = plan.name;
  std::map<std::string, int> uses;
  for (const PlannedExperiment& planned : plan.experiments) {
    for (Table& table : planned.experiment->tables()) {
      const int use = ++uses[table.base_name];
      if (use > 1) table.name = fmt::format("{}-{}", table.base_name, use);
      table.title = planned.title;
      result.tables.push_back(std::move(table));
    }
    result.points.total += planned.points.size();
  }
  return result;
}

double wall_seconds(const Point& point, const RunLimits& limits) {
  return point.parts.empty() ? point.seconds / limits.threads : point.seconds;
}

std::pair<std::string, std::string> forecast(const Point& point, const RunLimits& limits) {
  if (!point.parts.empty()) return {"ok", ""};
  return forecast(point.bytes, wall_seconds(point, limits), limits.memory_bytes, limits.seconds);
}

std::vector<PointError> run_plan(Plan& plan, const RunLimits& limits, Progress& progress,
                                 Output& output, Result& result) {
  result.expectations.clear();
  Runner runner(limits, progress, output, result);
  bool stopped = false;
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    stopped = !runner.run(e, plan.experiments[e]) || stopped;
  }
  progress.erase();
  return runner.complete(stopped);
}

bool all_refused(const Result& result) { return any_row(result, "refused", true); }

bool any_failed(const Result& result) { return any_row(result, "failed", false); }

}  // namespace attnlab
