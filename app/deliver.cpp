#include "app/deliver.h"

#include <exception>
#include <utility>

#include "app/provenance.h"
#include "app/streams.h"
#include "base/error.h"
#include "report/timed_rows.h"

namespace attnlab {

PrintOptions print_options(const OutputFlags& flags) {
  return {terminal_width(), wants_color(flags.color, stdout_is_terminal()), flags.table};
}

void check_table(const OutputFlags& flags, const Result& result) {
  if (!flags.table.empty()) chosen_table(result, print_options(flags));
}

void check_times(const OutputFlags& flags, const Result& result) {
  const bool needs = find_format(flags.format)->needs_times;
  if (!needs || has_timed_columns(result)) return;
  throw UserError("--format",
                  flags.format + " prints timed rows, and no table of this command has any",
                  "time something: sweep, profile, cost --measure, contract --measure or machine "
                  "--peaks");
}

void deliver(const Result& result, const OutputFlags& flags, bool quiet, Output& output) {
  std::exception_ptr error;
  try {
    output.finish(result, print_options(flags));
  } catch (...) {
    error = std::current_exception();
  }
  if (!quiet) write_stdout(find_format(flags.format)->print(result, print_options(flags)));
  if (error) std::rethrow_exception(error);
}

ExitCode deliver_tables(const std::string& name, std::vector<Table> tables,
                        const OutputFlags& flags, const std::vector<std::string>& line,
                        Status status) {
  Result result;
  result.name = name;
  result.status = status;
  result.tables = std::move(tables);
  const Machine machine = read_machine();
  result.provenance = provenance(
      {line, nullptr, usable_threads(machine), machine, std::chrono::system_clock::now()});
  set_peaks(result.provenance, result.tables);
  check_table(flags, result);
  check_times(flags, result);
  Output output(flags.output, flags.force, flags.format);
  output.open(result);
  deliver(result, flags, false, output);
  return ExitCode::kDone;
}

}  // namespace attnlab
