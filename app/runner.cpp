#include "app/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <utility>

#include "app/saver.h"
#include "report/expectation.h"

namespace attnlab {
namespace {

// The tables of one experiment within the result.
struct TableRange {
  std::size_t first, count;
};

std::vector<TableRange> table_ranges(const Plan& plan) {
  std::vector<TableRange> out;
  std::size_t first = 0;
  for (const PlannedExperiment& planned : plan.experiments) {
    const std::size_t count = planned.experiment->tables().size();
    out.push_back({first, count});
    first += count;
  }
  return out;
}

// Takes the tables of one experiment out of the result, and puts them back.
std::vector<Table> take(Result& result, const TableRange& range) {
  const auto begin = result.tables.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {std::make_move_iterator(begin),
          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(range.count))};
}
void put(Result& result, const TableRange& range, std::vector<Table>& tables) {
  std::move(tables.begin(), tables.end(),
            result.tables.begin() + static_cast<std::ptrdiff_t>(range.first));
}

std::string megabytes(double bytes) { return fmt::format("{:.0f} MB", bytes / 1e6); }

// Why a point may not run, and the status its row then has; "" when it may.
std::pair<std::string, std::string> objection(const Point& point, const RunLimits& limits) {
  if (point.bytes > limits.memory_bytes) {
    return {"refused", fmt::format("needs {} of memory, {} are allowed (--max-memory)",
                                   megabytes(point.bytes), megabytes(limits.memory_bytes))};
  }
  if (point.seconds > limits.seconds) {
    return {"skipped", fmt::format("would take about {}, {} are allowed (--max-time)",
                                   rough_duration(point.seconds), rough_duration(limits.seconds))};
  }
  return {"", ""};
}

void run_point(Experiment& experiment, std::size_t index, const Point& point,
               const RunLimits& limits, RunContext& context, std::vector<Table>& tables) {
  auto [status, reason] = objection(point, limits);
  if (status.empty()) {
    try {
      experiment.run(index, context, tables);
      return;
    } catch (const std::bad_alloc&) {
      // The estimate was too low, or another process took the memory meanwhile.
      for (Table& table : tables) table.rows.clear();
      status = "refused";
      reason = "the system had no memory left for it";
    }
  }
  experiment.add_row(index, tables.front()).set("status", status).set("reason", reason);
}

void append_rows(std::vector<Table>& from, Result& result, const TableRange& range) {
  for (std::size_t i = 0; i < range.count; ++i) {
    Table& to = result.tables[range.first + i];
    std::move(from[i].rows.begin(), from[i].rows.end(), std::back_inserter(to.rows));
    for (std::string& note : from[i].notes) to.add_note(std::move(note));
  }
}

void evaluate(const PlannedExperiment& planned, const std::vector<Table>& tables, bool finished,
              Result& result) {
  const std::string reason = planned.made_quick ? "--quick changed the experiment"
                             : !finished        ? "the run was interrupted"
                                                : "";
  std::vector<Expectation> found = reason.empty()
                                       ? evaluate_expectations(planned.expect, tables)
                                       : skipped_expectations(planned.expect, tables, reason);
  std::move(found.begin(), found.end(), std::back_inserter(result.expectations));
}

bool any_row(const Result& result, const std::string& status, bool all) {
  bool any = false;
  for (const Table& table : result.tables) {
    if (table.index_of("status") < 0) continue;
    for (const Row& row : table.rows) {
      const bool has = table.at(row, "status") == Cell(status);
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
  }
  return result;
}

void run_plan(Plan& plan, const RunLimits& limits, Progress& progress, Output& output,
              Result& result) {
  ThreadTeam team(limits.threads);
  RunContext context{team, progress};
  const std::vector<TableRange> ranges = table_ranges(plan);
  std::size_t started = 0;
  output.save(result);  // an unwritable folder shows before the work, not after it
  Saver saver(output, result);
  bool stopped = false;
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    Experiment& experiment = *plan.experiments[e].experiment;
    const std::vector<Point> points = experiment.points();
    for (std::size_t i = 0; i < points.size() && !stopped; ++i) {
      progress.begin(started++,
                     fmt::format("{} {}", plan.experiments[e].info->name, points[i].label),
                     points[i].seconds);
      std::vector<Table> rows = experiment.tables();
      run_point(experiment, i, points[i], limits, context, rows);
      stopped = progress.stopped();
      if (stopped) break;  // what it added is half a point
      progress.end();
      auto held = saver.lock();
      append_rows(rows, result, ranges[e]);
      saver.changed(std::move(held));
    }
    const auto held = saver.lock();
    std::vector<Table> tables = take(result, ranges[e]);
    if (!stopped) experiment.finish(tables);
    evaluate(plan.experiments[e], tables, !stopped, result);
    put(result, ranges[e], tables);
  }
  progress.erase();
  const auto held = saver.lock();
  result.status = stopped ? Status::kInterrupted : Status::kComplete;
}

bool all_refused(const Result& result) { return any_row(result, "refused", true); }

bool any_failed(const Result& result) { return any_row(result, "failed", false); }

}  // namespace attnlab
