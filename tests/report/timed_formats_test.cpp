// The formats of benchmark trackers, of times that are known.
#include "base/error.h"
#include "report/format.h"
#include "report/timed_rows.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

TEST_CASE("a timed row has a name, a time, an interval, threads", "[report]") {
  Result result = sample_result();
  result.provenance["threads"] = 2;
  Table plain("plain", "sweep", {{"threads", "", ColumnKind::kParameter}});
  for (int i = 0; i < 2; ++i) {
    plain.add_row().set("threads", 3);
    plain.rows.back().time_samples = {{}, {4, 1}, {3, 2, 9}};
  }
  result.tables.push_back(std::move(plain));
  const std::vector<TimedRow> rows = timed_rows(result, {});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "times/kernel:naive/n:64");
  CHECK(rows[0].seconds == 0.00125);
  CHECK(rows[0].interval == std::optional(std::pair(0.0012, 0.0013)));
  CHECK(rows[0].threads == 2);
  CHECK(rows[0].samples() == 3);
  CHECK(rows[1].name == "plain/threads:3");
  CHECK(rows[2].name == "plain/threads:3 #2");
  CHECK(rows[1].threads == 3);
  CHECK(rows[1].seconds == 3);  // of 1 2 3 4 9
  CHECK_FALSE(rows[1].interval);
  PrintOptions options;
  options.table = "plain";
  CHECK(timed_rows(result, options).size() == 2);
}

TEST_CASE("a result without times is a mistake for formats of times", "[report]") {
  Result result = sample_result();
  CHECK(has_timed_columns(result));
  for (Row& row : result.tables[0].rows) row.time_samples.clear();
  for (const Format& format : formats()) {
    INFO(format.name);
    if (format.needs_times) {
      CHECK_THROWS_AS(format.print(result, {}), UserError);
    } else {
      CHECK_FALSE(format.print(result, {}).empty());
    }
  }
  result.tables.erase(result.tables.begin());
  CHECK_FALSE(has_timed_columns(result));
}

TEST_CASE("the middle of samples", "[report]") {
  CHECK(middle_of(std::vector{3.0}) == 3);
  CHECK(middle_of(std::vector{4.0, 1.0}) == 2.5);
  CHECK(middle_of(std::vector{9.0, 1.0, 2.0}) == 2);
}

TEST_CASE("Google Benchmark: a repetition is a process, or a sample of the only one", "[report]") {
  Result result = sample_result();
  result.provenance = {{"version", "1.2"}, {"start", "2024-01-02T03:04:05Z"},
                       {"threads", 2},     {"command_line", {"attnlab", "run"}},
                       {"load", 0.5},      {"governor", "powersave"},
                       {"logical_cpus", 4}};
  result.tables[0].rows[1].time_samples = {{0.5, 0.25, 1}};
  const Json document = Json::parse(print_gbench(result, {}));
  const Json& context = document["context"];
  CHECK(context["date"] == "2024-01-02T03:04:05Z");
  CHECK(context["num_cpus"] == 4);
  CHECK(context["executable"] == "attnlab");
  CHECK(context["cpu_scaling_enabled"] == true);
  CHECK(context["caches"] == Json::array());
  CHECK(context["library_build_type"] == "release");
  const Json& all = document["benchmarks"];
  REQUIRE(all.size() == 3 + 4);
  CHECK(all[0] == Json({{"name", "times/kernel:naive/n:64"},
                        {"family_index", 0},
                        {"per_family_instance_index", 0},
                        {"run_name", "times/kernel:naive/n:64"},
                        {"run_type", "iteration"},
                        {"repetitions", 2},
                        {"repetition_index", 0},
                        {"threads", 2},
                        {"iterations", 2},
                        {"real_time", 1225000.0},
                        {"cpu_time", 1225000.0},
                        {"time_unit", "ns"}}));
  CHECK(all[1]["repetition_index"] == 1);
  CHECK(all[1]["real_time"] == 2e9);
  CHECK(all[2]["name"] == "times/kernel:naive/n:64_median");
  CHECK(all[2]["run_type"] == "aggregate");
  CHECK(all[2]["aggregate_name"] == "median");
  CHECK(all[2]["real_time"] == Approx(1000612500.0));
  CHECK(all[3]["per_family_instance_index"] == 1);
  CHECK(all[3]["repetitions"] == 3);
  CHECK(all[4]["real_time"] == 2.5e8);
  CHECK(all[4]["iterations"] == 1);
  CHECK(all[6]["real_time"] == 5e8);
}

TEST_CASE("Bencher: latencies in nanoseconds with their intervals", "[report]") {
  CHECK(print_bencher(sample_result(), {}) ==
        "{\n  \"times/kernel:naive/n:64\": {\"latency\":{\"value\":1250000.0,\"lower_value\":"
        "1200000.0,\"upper_value\":1300000.0}}\n}\n");
}

TEST_CASE("github-action-benchmark: a list of values that are better when smaller", "[report]") {
  const Json list = Json::parse(print_github_action_benchmark(sample_result(), {}));
  CHECK(list == Json::array({{{"name", "times/kernel:naive/n:64"},
                              {"unit", "ns"},
                              {"value", 1250000.0},
                              {"range", "1.2e+06 to 1.3e+06"},
                              {"extra", "samples: 3\nprocesses: 2\nthreads: 1"}}}));
}
