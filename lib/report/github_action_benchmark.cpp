// The list that github-action-benchmark reads with `tool: customSmallerIsBetter`: an entry a timed
// row, in nanoseconds. `range` and `extra` are texts that it shows with the value.
#include <fmt/format.h>

#include "report/format.h"
#include "report/json_text.h"
#include "report/timed_rows.h"

namespace attnlab {
namespace {

constexpr std::string_view kOpening = "[\n  {\"name\":\"";

Json entry(const TimedRow& row) {
  Json out = {{"name", row.name}, {"unit", "ns"}, {"value", row.seconds * kNanoseconds}};
  if (row.interval) {
    out["range"] = fmt::format("{:.6g} to {:.6g}", row.interval->first * kNanoseconds,
                               row.interval->second * kNanoseconds);
  }
  out["extra"] = fmt::format("samples: {}\nprocesses: {}\nthreads: {}", row.samples(),
                             row.row->time_samples.size(), row.threads);
  return out;
}

}  // namespace

std::string print_github_action_benchmark(const Result& result, const PrintOptions& options) {
  std::string out;
  for (const TimedRow& row : timed_rows(result, options)) {
    out += (out.empty() ? "[\n  " : ",\n  ") + plain_json(entry(row));
  }
  return out + "\n]\n";
}

bool is_github_action_benchmark(std::string_view start, const Result& result) {
  return begins_with_name(start, kOpening, result);
}

}  // namespace attnlab
