#include "app/deliver.h"

#include <exception>
#include <utility>

#include "app/provenance.h"
#include "app/streams.h"

namespace attnlab {

PrintOptions print_options(const OutputFlags& flags) {
  return {terminal_width(), wants_color(flags.color, stdout_is_terminal()), flags.table};
}

void check_table(const OutputFlags& flags, const Result& result) {
  if (!flags.table.empty()) chosen_table(result, print_options(flags));
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
  Output output(flags.output, flags.force);
  output.open(result);
  deliver(result, flags, false, output);
  return ExitCode::kDone;
}

}  // namespace attnlab
