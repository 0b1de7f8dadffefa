// The rows of a result that hold times of calls, under names of their own: what the formats of
// benchmark trackers print.
#ifndef ATTNLAB_REPORT_TIMED_ROWS_H_
#define ATTNLAB_REPORT_TIMED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/format.h"
#include "report/result.h"

namespace attnlab {

struct TimedRow {
  const Table* table;
  const Row* row;            // has time_samples
  std::string name{};        // unique in the result: "sweep/kernel:flash/isa:avx2/n:128"
  std::int64_t threads = 1;  // of the row, or of the run
  double seconds = 0;        // of a call: the row's own time
  std::optional<std::pair<double, double>> interval{};  // its ends, where the row has it

  std::size_t samples() const;
};

// Those of the table that the options name, or of all, in their order. UserError when there is
// none. Points into the result.
std::vector<TimedRow> timed_rows(const Result& result, const PrintOptions& options);

// Whether the tables, which may have no rows yet, can hold times at all.
bool has_timed_columns(const Result& result);

// The middle value, or the mean of the two middle ones, of at least one.
double middle_of(std::span<const double> values);

inline constexpr double kNanoseconds = 1e9;  // in a second

// Whether a document begins with an object or list of that opening whose first name is of one of
// the result's tables: how a document that holds nothing of attnlab's own shows whose it is.
bool begins_with_name(std::string_view start, std::string_view opening, const Result& result);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_TIMED_ROWS_H_
