// A finished result on its way out: printed, and written where -o says.
#ifndef ATTNLAB_APP_DELIVER_H_
#define ATTNLAB_APP_DELIVER_H_

#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/output.h"
#include "report/result.h"

namespace attnlab {

// What the flags say of printing on this terminal.
PrintOptions print_options(const OutputFlags& flags);

// UserError when --table names no table of the result.
void check_table(const OutputFlags& flags, const Result& result);

// UserError when --format is one of timed rows, and no table can have any.
void check_times(const OutputFlags& flags, const Result& result);

// Prints the result (unless quiet) and finishes the output, which has been opened. What cannot be
// written does not keep it from being printed, nor the other way round; the first error is thrown.
void deliver(const Result& result, const OutputFlags& flags, bool quiet, Output& output);

// The way of the commands that measure nothing (list, describe, machine): their tables become a
// result with provenance.
ExitCode deliver_tables(const std::string& name, std::vector<Table> tables,
                        const OutputFlags& flags, const std::vector<std::string>& line,
                        Status status = Status::kComplete);

}  // namespace attnlab

#endif  // ATTNLAB_APP_DELIVER_H_
