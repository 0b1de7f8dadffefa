#include "app/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include "app/deliver.h"
#include "app/figure_file.h"
#include "app/figure_output.h"
#include "app/progress.h"
#include "app/provenance.h"
#include "app/resume.h"
#include "app/runner.h"
#include "app/signals.h"
#include "app/streams.h"
#include "app/text_plot.h"
#include "base/text.h"
#include "experiments/figures.h"
#include "report/cell_text.h"
#include "report/json_text.h"

namespace attnlab {
namespace {

RunLimits limits_of(const RunFlags& flags, const Machine& machine) {
  RunLimits out;
  out.threads = flags.threads ? static_cast<int>(*flags.threads) : usable_threads(machine);
  out.memory_bytes = flags.max_memory ? static_cast<double>(flags.max_memory->bytes)
                                      : 0.9 * static_cast<double>(machine.available_bytes);
  if (flags.max_time) out.seconds = flags.max_time->seconds;
  return out;
}

Table dry_run_table(const Plan& plan, const RunLimits& limits) {
  Table out("points", "dry-run",
            {{"experiment", "experiment that the point belongs to", ColumnKind::kParameter},
             {"point", "its place in the grid", ColumnKind::kParameter},
             {"bytes", "memory it takes at most, estimated", ColumnKind::kExact, "B"},
             {"seconds", "time it takes, roughly", ColumnKind::kDerived, "s"},
             status_column(),
             reason_column()});
  double seconds = 0;
  std::size_t points = 0;
  bool limits_itself = false;  // by its own parameters
  const auto add = [&](const PlannedExperiment& planned, const std::string& label, double bytes,
                       double wall, const std::string& status, const std::string& reason) {
    out.add_row()
        .set("experiment", planned.info->name)
        .set("point", label)
        .set("bytes", static_cast<std::int64_t>(std::min(bytes, 9e18)))
        .set("seconds", wall)
        .set("status", status)
        .set("reason", reason.empty() ? Cell() : Cell(reason));
    if (status == "ok") seconds += wall;
  };
  for (const PlannedExperiment& planned : plan.experiments) {
    points += planned.points.size();
    for (const Point& point : planned.points) {
      const auto [status, reason] = forecast(point, limits);
      for (const PointPart& part : point.parts) {
        add(planned, point.label + " " + part.label, part.bytes, part.seconds, part.status,
            part.reason);
      }
      if (!point.parts.empty()) {
        limits_itself = true;
        continue;
      }
      add(planned, point.label, point.bytes, wall_seconds(point, limits), status, reason);
    }
  }
  std::string note =
      fmt::format("{} point{}, about {}", points, points == 1 ? "" : "s", rough_duration(seconds));
  if (!limits_itself) {
    note += fmt::format(" on {} thread{}; a point may take {}", limits.threads,
                        limits.threads == 1 ? "" : "s", size_text(limits.memory_bytes));
  }
  out.add_note(note + ".");
  return out;
}

ExitCode outcome_of(const Result& result) {
  if (result.status == Status::kInterrupted) {
    return code_of_signal(stop_signal());
  }
  if (all_refused(result)) return ExitCode::kNothingFits;
  const bool met =
      std::none_of(result.expectations.begin(), result.expectations.end(),
                   [](const Expectation& one) { return one.verdict == Verdict::kFail; });
  return met && !any_failed(result) ? ExitCode::kDone : ExitCode::kFailed;
}

// The most threads that the run asks for, by its flag or by an experiment's own parameter.
std::int64_t most_threads(const Plan& plan, const RunLimits& limits) {
  std::int64_t most = limits.threads;
  for (const PlannedExperiment& planned : plan.experiments) {
    const Parameter* const own = planned.parameters->find("threads");
    if (own == nullptr) continue;
    const Json value = own->value();
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      if (one.is_number_integer()) most = std::max(most, one.get<std::int64_t>());
    }
  }
  return most;
}

void warn_of_threads(const Plan& plan, const RunLimits& limits, const Machine& machine) {
  const int usable = usable_threads(machine);
  const std::int64_t most = most_threads(plan, limits);
  if (most <= usable) return;
  fmt::print(stderr,
             "attnlab: warning: --threads {} is more than the {} CPU{} that affinity and quota "
             "allow: threads will wait for each other, and times will tell little\n",
             most, usable, usable == 1 ? "" : "s");
}

// UserError when -o names a figure that the plan has not, or that may not be written.
void check_figure(const Plan& plan, const OutputFlags& flags) {
  const bool any = std::any_of(plan.experiments.begin(), plan.experiments.end(),
                               [](const PlannedExperiment& planned) {
                                 return !tables_with_figures(planned.experiment->tables()).empty();
                               });
  if (!any) {
    throw UserError("--output", "no experiment of the run has a figure",
                    "variance, entropy, cost, sweep and inspect have one");
  }
  check_replaceable(flags.output, flags.force);
}

// After an interruption: what is there, and how to go on.
void tell_interrupted(const Result& result, const Output& output) {
  std::string text = fmt::format("attnlab: interrupted after {} of {} points", result.points.done,
                                 result.points.total);
  if (output.is_folder()) {
    text += fmt::format("; {} has them, and the same command with --resume continues",
                        output.result_path());
  }
  fmt::print(stderr, "{}\n", text);
}

// What kept points from being run, on stderr; the code that they ask for, where there are some.
std::optional<ExitCode> tell_errors(const std::vector<PointError>& errors) {
  constexpr std::size_t kMost = 5;
  bool is_input = false;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    is_input = is_input || errors[i].is_input;
    if (i < kMost) fmt::print(stderr, "attnlab: error: {}\n", errors[i].text);
  }
  if (errors.size() > kMost) {
    fmt::print(stderr, "attnlab: {} more: see the reasons of their rows\n", errors.size() - kMost);
  }
  if (errors.empty()) return std::nullopt;
  return is_input ? ExitCode::kBadInput : ExitCode::kRunFailed;
}

// A run that breaks down keeps what was finished before; the error itself is what matters.
void save_failed(Result& result, Output& output, const OutputFlags& flags) {
  result.status = Status::kFailed;
  try {
    output.finish(result, print_options(flags));
  } catch (const std::exception&) {
  }
}

}  // namespace

ExitCode run_session(Plan plan, const OutputFlags& output_flags, const RunFlags& flags,
                     const std::vector<std::string>& line, bool writes_folder) {
  if (flags.print_config) {
    write_stdout(pretty_json(plan.config()) + "\n");
    return ExitCode::kDone;
  }
  const auto start = std::chrono::steady_clock::now();
  const Machine machine = read_machine();
  const RunLimits limits = limits_of(flags, machine);
  if (flags.dry_run) {
    return deliver_tables("dry-run", {dry_run_table(plan, limits)}, output_flags, line);
  }
  Result result = empty_result(plan);
  check_table(output_flags, result);  // a wrong name shows before the work
  check_times(output_flags, result);
  if (flags.plot) check_plot(plan, output_flags);
  result.provenance =
      provenance({line, plan.config(), limits.threads, machine, std::chrono::system_clock::now()});
  set_inputs(result.provenance, plan);
  const bool is_named = !output_flags.output.empty() || !writes_folder;
  const bool is_figure = figure_format_of(output_flags.output).has_value();
  if (is_figure) check_figure(plan, output_flags);
  Output output(is_figure  ? ""
                : is_named ? output_flags.output
                           : "results/" + plan.name,
                output_flags.force, output_flags.format);
  if (flags.resume) {
    if (!output.is_folder()) {
      throw UserError("--resume", "needs the folder of the run to continue", "name it with -o");
    }
    take_over(output.result_path(), result);
  }
  std::optional<ExitCode> error_code;
  const bool was_complete = result.status == Status::kComplete;
  if (!was_complete) {
    warn_of_threads(plan, limits, machine);
    output.open(result);
    const std::vector<std::vector<Point>> points = plan.points();
    Progress progress(!flags.quiet && !flags.no_progress && shows_progress(), points);
    try {
      error_code = tell_errors(run_plan(plan, limits, progress, output, result));
    } catch (...) {
      progress.erase();
      save_failed(result, output, output_flags);
      throw;
    }
    set_duration(result.provenance,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    set_peaks(result.provenance, result.tables);
    if (result.status == Status::kInterrupted) tell_interrupted(result, output);
  }
  ExitCode outcome = outcome_of(result);
  if (outcome == ExitCode::kFailed && error_code) outcome = *error_code;
  Output nowhere("", false);
  try {
    deliver(result, output_flags, flags.quiet, was_complete ? nowhere : output);
  } catch (const UserError&) {  // the format has nothing to print
    if (outcome == ExitCode::kDone) throw;
    report_current_error(wants_color(output_flags.color, stderr_is_terminal()));
  }
  if (flags.plot && !flags.quiet) write_stdout(text_plots(result, output_flags));
  if (!is_figure || result.status != Status::kComplete) return outcome;
  const ExitCode drawn = write_figure_file(chosen_figure(result, "the run", output_flags.table),
                                           output_flags.output, std::nullopt, output_flags.force);
  return drawn == ExitCode::kDone ? outcome : drawn;
}

}  // namespace attnlab
