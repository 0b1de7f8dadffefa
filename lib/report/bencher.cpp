// Bencher Metric Format: a benchmark a timed row, its latency in nanoseconds with the ends of its
// 95 % interval. bencher.dev, "Bencher Metric Format (BMF)"; read by `bencher run --adapter json`.
#include "report/format.h"
#include "report/json_text.h"
#include "report/timed_rows.h"

namespace attnlab {
namespace {

constexpr std::string_view kOpening = "{\n  \"";

}  // namespace

std::string print_bencher(const Result& result, const PrintOptions& options) {
  std::string out;
  for (const TimedRow& row : timed_rows(result, options)) {
    Json latency = {{"value", row.seconds * kNanoseconds}};
    if (row.interval) {
      latency["lower_value"] = row.interval->first * kNanoseconds;
      latency["upper_value"] = row.interval->second * kNanoseconds;
    }
    out += (out.empty() ? "{\n  " : ",\n  ") + plain_json(Json(row.name)) + ": " +
           plain_json({{"latency", std::move(latency)}});
  }
  return out + "\n}\n";
}

bool is_bencher(std::string_view start, const Result& result) {
  return begins_with_name(start, kOpening, result);
}

}  // namespace attnlab
