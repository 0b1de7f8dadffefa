// A small result with everything in it that formats must cope with.
#ifndef ATTNLAB_TESTS_REPORT_SAMPLE_H_
#define ATTNLAB_TESTS_REPORT_SAMPLE_H_

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "report/result.h"

namespace attnlab {

inline Result sample_result() {
  Column time{"time", "median", ColumnKind::kTimed, "s", Better::kLower};
  time.interval_low = "time_low";
  time.interval_high = "time_high";
  Column share{"share"};
  share.tolerance = {1e-6, 0.5, "n"};
  Table times("times", "sweep",
              {{"kernel", "which", ColumnKind::kParameter},
               {"n", "length", ColumnKind::kParameter},
               time,
               {"time_low", "", ColumnKind::kTimed, "s"},
               {"time_high", "", ColumnKind::kTimed, "s"},
               share,
               {"shape", "", ColumnKind::kExact},
               {"exact", "", ColumnKind::kExact},
               status_column(),
               reason_column()});
  times.title = "Времена, \"quoted\"";
  times.add_row()
      .set("kernel", "naive")
      .set("n", 64)
      .set("time", 0.00125)
      .set("time_low", 0.00120)
      .set("time_high", 0.00130)
      .set("share", 64.0)
      .set("shape", std::vector<std::int64_t>{1, 12})
      .set("exact", true);
  times.rows.back().time_samples = {{0.00125, 0.0012}, {2}};
  times.add_row()
      .set("kernel", "flash")
      .set("n", 1024)
      .set("time", 0.1)
      .set("time_low", 0.09)
      .set("time_high", 0.11)
      .set("share", 1e-7);
  times.add_row()
      .set("kernel", "a,b \"c\"\n|d")
      .set("n", std::numeric_limits<std::int64_t>::max())
      .set("share", std::numeric_limits<double>::infinity())
      .set("status", "failed")
      .set("reason", "no <such> & thing");
  times.add_note("A note.");
  Table empty("empty", "sweep", {{"x", "", ColumnKind::kExact}});
  Result out;
  out.name = "sample";
  out.status = Status::kInterrupted;
  out.points = {2, 5};
  out.provenance = {{"command_line", {"attnlab", "run"}}, {"duration", nullptr}};
  out.expectations = {
      {"times", {{"n", 64}}, "share", "64.00", 64.0, Verdict::kPass, ""},
      {"times", {{"n", 1024}}, "share", {{"min", 1}}, 1e-7, Verdict::kFail, "below min"},
      {"times", Json::object(), "time", 1, nullptr, Verdict::kNotChecked, "interrupted"}};
  out.tables = {std::move(times), std::move(empty)};
  return out;
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_REPORT_SAMPLE_H_
