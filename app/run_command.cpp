#include "app/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <utility>

#include "app/build_info.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/provenance.h"
#include "app/runner.h"
#include "app/signals.h"
#include "base/text.h"
#include "machine/blas.h"
#include "machine/isa.h"
#include "machine/machine.h"
#include "report/format.h"

namespace attnlab {
namespace {

RunLimits limits_of(const Options& options, const Machine& machine) {
  RunLimits out;
  out.threads = options.threads ? static_cast<int>(*options.threads) : usable_threads(machine);
  out.memory_bytes = options.max_memory ? static_cast<double>(options.max_memory->bytes)
                                        : 0.9 * static_cast<double>(machine.available_bytes);
  if (options.max_time) out.seconds = options.max_time->seconds;
  return out;
}

std::string dry_run_text(const Plan& plan, const RunLimits& limits) {
  std::string out;
  double seconds = 0;
  std::size_t count = 0;
  for (const PlannedExperiment& planned : plan.experiments) {
    for (const Point& point : planned.experiment->points()) {
      out += fmt::format("{} {}: {:.0f} MB, {}\n", planned.info->name, point.label,
                         point.bytes / 1e6, rough_duration(point.seconds / limits.threads));
      seconds += point.seconds / limits.threads;
      ++count;
    }
  }
  return out + fmt::format("{} points, about {} on {} threads\n", count, rough_duration(seconds),
                           limits.threads);
}

ExitCode outcome_of(const Result& result) {
  if (result.status == Status::kInterrupted) {
    return stop_signal() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
  }
  if (all_refused(result)) return ExitCode::kNothingFits;
  const bool met =
      std::none_of(result.expectations.begin(), result.expectations.end(),
                   [](const Expectation& one) { return one.verdict == Verdict::kFail; });
  return met && !any_failed(result) ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

Plan read_plans(const std::vector<std::string>& files, std::optional<std::int64_t> seed,
                std::vector<Mistake>& mistakes) {
  if (files.empty())
    throw UserError("run", "no config is named", "attnlab run configs/lesson.json");
  Plan all;
  for (const std::string& file : files) {
    try {
      Plan plan = read_plan(read_json_file(file), file + ":", mistakes);
      all.name += (all.name.empty() ? "" : "+") + plan.name;
      std::move(plan.experiments.begin(), plan.experiments.end(),
                std::back_inserter(all.experiments));
    } catch (const UserError& error) {  // the other files are still read for their mistakes
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }
  for (PlannedExperiment& planned : all.experiments) {
    Parameter* parameter = planned.parameters->find("seed");
    if (seed && parameter != nullptr) parameter->assign(*seed);
  }
  return all;
}

ExitCode run_plan_command(Plan plan, const Options& options,
                          const std::vector<std::string>& arguments, bool writes_folder) {
  if (options.print_config) {
    write_stdout(plan.config().dump(2) + "\n");
    return ExitCode::kDone;
  }
  const auto start = std::chrono::steady_clock::now();
  const Machine machine = read_machine();
  const RunLimits limits = limits_of(options, machine);
  if (options.dry_run) {
    write_stdout(dry_run_text(plan, limits));
    return ExitCode::kDone;
  }
  Result result = empty_result(plan);
  const PrintOptions print{terminal_width(), wants_color(options.color, stdout_is_terminal()),
                           options.table};
  if (!options.table.empty()) chosen_table(result, print);  // a wrong name shows before the work

  std::vector<std::string> command_line{"attnlab"};
  command_line.insert(command_line.end(), arguments.begin(), arguments.end());
  result.provenance = provenance(
      {command_line, plan.config(), limits.threads, machine, std::chrono::system_clock::now()});
  Output output(options.output.empty() && writes_folder ? "results/" + plan.name : options.output,
                options.force);
  output.open(result);

  double seconds = 0;
  std::size_t points = 0;
  for (const PlannedExperiment& planned : plan.experiments) {
    for (const Point& point : planned.experiment->points()) {
      seconds += point.seconds;
      ++points;
    }
  }
  Progress progress(!options.quiet && !options.no_progress && stderr_is_terminal(), points,
                    seconds);
  run_plan(plan, limits, progress, output, result);
  set_duration(result.provenance,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (!options.quiet) write_stdout(find_format(options.format)->print(result, print));
  output.finish(result, print);
  return outcome_of(result);
}

std::string version_text() {
  const BuildInfo build = build_info();
  const BlasInfo blas = blas_info();
  std::vector<std::string> isas;
  for (const Isa isa : simd_isas()) isas.emplace_back(isa_name(isa));
  return fmt::format(
      "attnlab {}\ncommit    {}\ncompiler  {}\nbuild     {}\nflags     {}\nBLAS      {} {} (core "
      "{})\n"
      "SIMD      {}\n",
      build.version, build.commit, build.compiler, build.build_type, build.flags, blas.name,
      blas.version, blas.core, join(isas, ", "));
}

}  // namespace attnlab
