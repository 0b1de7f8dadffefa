// Google Benchmark's JSON, on which its tools/compare.py works: context, and an entry a repetition
// of each timed row. A repetition is what repeats independently: a process, by the middle of its
// samples, where the row has several; otherwise a sample. Times are of the wall clock; cpu_time,
// which readers ask for, is the same number.
#include <fmt/format.h>

#include "report/format.h"
#include "report/json_text.h"
#include "report/timed_rows.h"

namespace attnlab {
namespace {

constexpr std::string_view kMark = "\"attnlab_version\":";

Json context(const Json& provenance) {
  const auto text = [&](const char* key) { return provenance.value(key, Json("")); };
  const Json line = provenance.value("command_line", Json::array());
  const Json governor = provenance.value("governor", Json());
  return {{"attnlab_version", text("version")},
          {"attnlab_commit", text("commit")},
          {"cpu", text("cpu")},
          {"date", text("start")},
          {"executable", line.empty() ? Json("attnlab") : line.front()},
          {"num_cpus", provenance.value("logical_cpus", 1)},
          {"cpu_scaling_enabled", governor.is_string() && governor != "performance"},
          {"caches", Json::array()},
          {"load_avg", Json::array({provenance.value("load", 0.0)})},
          {"library_build_type", text("build_type") == "Debug" ? "debug" : "release"}};
}

struct Repetition {
  double seconds;
  std::size_t samples;  // that it is the middle of
};

std::vector<Repetition> repetitions(const Row& row) {
  std::vector<std::vector<double>> processes;
  for (const auto& process : row.time_samples) {
    if (!process.empty()) processes.push_back(process);
  }
  std::vector<Repetition> out;
  if (processes.size() > 1) {
    for (const auto& process : processes) out.push_back({middle_of(process), process.size()});
  } else {
    for (const double sample : processes.front()) out.push_back({sample, 1});
  }
  return out;
}

// Where a row stands among those of its table, which are a family.
struct FamilyPlace {
  std::size_t family, instance;
};

Json entry(const TimedRow& row, const FamilyPlace& place, const std::string& name) {
  return {{"name", name},
          {"family_index", place.family},
          {"per_family_instance_index", place.instance},
          {"run_name", row.name}};
}

void add_times(Json& entry, const TimedRow& row, std::size_t iterations, double seconds) {
  entry["threads"] = row.threads;
  entry["iterations"] = iterations;
  entry["real_time"] = seconds * kNanoseconds;
  entry["cpu_time"] = seconds * kNanoseconds;
  entry["time_unit"] = "ns";
}

// The entries of a row: its repetitions and, of several, their middle as an aggregate.
std::vector<Json> entries(const TimedRow& row, const FamilyPlace& place) {
  const std::vector<Repetition> all = repetitions(*row.row);
  std::vector<Json> out;
  std::vector<double> times;
  for (const Repetition& one : all) {
    Json& added = out.emplace_back(entry(row, place, row.name));
    added["run_type"] = "iteration";
    added["repetitions"] = all.size();
    added["repetition_index"] = times.size();
    add_times(added, row, one.samples, one.seconds);
    times.push_back(one.seconds);
  }
  if (all.size() < 2) return out;
  Json& middle = out.emplace_back(entry(row, place, row.name + "_median"));
  middle["run_type"] = "aggregate";
  middle["repetitions"] = all.size();
  add_times(middle, row, all.size(), middle_of(times));
  middle["aggregate_name"] = "median";
  middle["aggregate_unit"] = "time";
  return out;
}

}  // namespace

std::string print_gbench(const Result& result, const PrintOptions& options) {
  const std::vector<TimedRow> rows = timed_rows(result, options);
  std::string out =
      "{\n  \"context\": " + pretty_json(context(result.provenance), 2) + ",\n  \"benchmarks\": [";
  FamilyPlace place{0, 0};
  for (const TimedRow& row : rows) {
    if (&row != &rows.front()) {
      const bool is_same = row.table == (&row - 1)->table;
      place = is_same ? FamilyPlace{place.family, place.instance + 1}
                      : FamilyPlace{place.family + 1, 0};
    }
    for (const Json& one : entries(row, place)) {
      out += (out.back() == '[' ? "\n    " : ",\n    ") + plain_json(one);
    }
  }
  return out + "\n  ]\n}\n";
}

bool is_gbench(std::string_view start, const Result&) {
  return start.starts_with("{\n  \"context\": {") && start.find(kMark) < 100;
}

}  // namespace attnlab
