// --runs: what a process is given, and how the results of several are put together.
#include "experiments/sweep_processes.h"

#include <string>
#include <vector>

#include "experiments/sweep_rounds.h"
#include "experiments/sweep_run.h"
#include "support/catch.h"

namespace attnlab {
namespace {

TEST_CASE("a process that does not measure is a row of every kernel", "[sweep]") {
  // This program is no attnlab: it ends with an error.
  const Run run({{"kernel", Json::array({"flash", "naive"})}, {"runs", 2}});
  REQUIRE(run.table().rows.size() == 2);
  CHECK(run.all("status", Cell(std::string("failed"))));
  CHECK(std::get<std::string>(run.at(1, "reason")).find("process 0") != std::string::npos);
}

TEST_CASE("a process of --runs is given its point alone", "[sweep]") {
  SweepSettings settings;
  ParameterList list;
  settings.declare(list);
  std::vector<Mistake> mistakes;
  list.read({{"runs", 5}, {"max_time", 10}, {"threads", {1, 2}}}, "", {}, mistakes);
  REQUIRE(mistakes.empty());
  const auto points = settings.points(2);
  const auto arguments = process_arguments(list, points.back(), 1e9);
  const auto has = [&](const std::string& argument) {
    return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
  };
  CHECK(arguments[0] == "sweep");
  CHECK(has("--n=1024"));
  CHECK(has("--threads=2"));
  CHECK(has("--kernel=naive,flash"));
  CHECK(has("--runs=1"));
  CHECK(has("--max-memory=1000000000"));
  CHECK(has("--max-time=10"));  // that of the whole row, which it knows to be a part of
  CHECK(has("--format=json"));
}

// What a process writes of one kernel.
std::string document_of(const Json& row, const Json& order) {
  Json found = row;
  for (const char* name : {"reason", "macs", "workspace_bytes", "working_set_bytes", "max_error",
                           "error_ratio", "approximation_error", "peak_share"}) {
    if (!found.contains(name)) found[name] = nullptr;
  }
  found["kernel"] = "flash";
  found["isa"] = "avx2";
  Json places = Json::array();
  if (!order.is_null()) places.push_back({{"kernel", "flash"}, {"isa", "avx2"}, {"order", order}});
  const Json tables = {{{"name", "sweep"}, {"rows", Json::array({found})}},
                       {{"name", "order"}, {"rows", places}}};
  return Json{{"tables", tables}}.dump();
}

const std::vector<SweepKernel> kFlash{{"flash", "avx2", nullptr, ""}};

std::string timed_document(double seconds, double flops, double share) {
  return document_of({{"status", "ok"},
                      {"macs", 64},
                      {"workspace_bytes", 128},
                      {"working_set_bytes", 256},
                      {"max_error", nullptr},
                      {"error_ratio", 0.5},
                      {"approximation_error", 0.25},
                      {"flops_per_second", flops},
                      {"peak_share", share},
                      {"time_samples", {{seconds, seconds + 1}}}},
                     {1, 0});
}

TEST_CASE("the rows of processes are put together", "[sweep]") {
  std::vector<SweepRow> rows;
  merge_rows(timed_document(1, 1e9, 0.5), kFlash, rows);
  merge_rows(timed_document(3, 3e9, 0.5), kFlash, rows);
  merge_rows(timed_document(5, 1e9, 0.25), kFlash, rows);
  REQUIRE(rows.size() == 1);
  const SweepRow& row = rows[0];
  CHECK(row.status == "ok");
  CHECK(row.samples == ProcessSamples{{1, 2}, {3, 4}, {5, 6}});
  CHECK(row.orders == std::vector<std::vector<std::int64_t>>(3, {1, 0}));
  CHECK(row.macs == 64);
  CHECK(row.workspace_bytes == 128);
  CHECK(row.working_set_bytes == 256);
  REQUIRE(row.errors);
  CHECK(std::isnan(row.errors->max_error));  // null in the document
  CHECK(row.errors->error_ratio == 0.5);
  CHECK(row.errors->approximation_error == 0.25);
  CHECK(row.peak == 6e9);  // the highest of the probes: 2, 6 and 4
}

TEST_CASE("a kernel that fails in one process has no time", "[sweep]") {
  const std::string failed = document_of({{"status", "failed"}, {"reason", "wrong"}}, nullptr);
  for (const bool is_first : {true, false}) {
    std::vector<SweepRow> rows;
    if (is_first) merge_rows(failed, kFlash, rows);
    merge_rows(timed_document(1, 1e9, 0.5), kFlash, rows);
    if (!is_first) merge_rows(failed, kFlash, rows);
    CHECK(rows[0].status == "failed");
    CHECK(rows[0].reason == "wrong");
    CHECK(rows[0].samples.empty());
    CHECK(rows[0].orders.empty());
  }
}

TEST_CASE("what processes delivered before one of them ended is kept", "[sweep]") {
  Watch watch;
  const auto run = [](std::size_t, std::int64_t process, const Watch&) -> std::string {
    if (process == 2) throw RunError("--runs", "process 2 ended with exit code 137", "");
    return timed_document(static_cast<double>(process), 1e9, 0.5);
  };
  const std::vector<SweepRow> rows = SweepRounds({kFlash}, 5, {1}, run).rows(0, watch);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == "failed");
  CHECK(rows[0].reason.find("exit code 137") != std::string::npos);
  CHECK(rows[0].reason.find("2 of 5 processes") != std::string::npos);
  CHECK(rows[0].samples == ProcessSamples{{0, 1}, {1, 2}});
  std::vector<Table> tables = empty_tables();
  const SweepSettings settings;
  write_sweep_rows(settings, settings.points(1)[0], kFlash, rows, tables);
  const Table& table = tables[kSweepTable];
  CHECK(table.at(table.rows.at(0), "time") == Cell(1.0));
  CHECK(table.rows[0].time_samples.size() == 2);
  CHECK(tables[kOrderTable].rows.size() == 2);
  const auto nothing = [](std::size_t, std::int64_t, const Watch&) { return std::string(); };
  CHECK_THROWS_AS(SweepRounds({kFlash}, 2, {1}, nothing).rows(0, watch), RunError);
}

TEST_CASE("the points of a stretch take turns, stretches follow each other", "[sweep]") {
  const double half = kStretchSeconds / 2;
  const std::vector<double> stretches = stretches_of({half, half, 1, 2 * half, 2, 0});
  CHECK(stretches == std::vector<double>{2 * half, 0, 1, 2 * half, 2, 0});
  std::vector<std::pair<std::size_t, std::int64_t>> order;
  SweepRounds rounds({kFlash, kFlash, kFlash, kFlash, kFlash, kFlash}, 2, stretches,
                     [&](std::size_t point, std::int64_t process, const Watch&) {
                       order.emplace_back(point, process);
                       if (point == 4 && process == 0) throw RunError("--runs", "no", "");
                       return timed_document(static_cast<double>(10 * point), 1e9, 0.5);
                     });
  Watch watch;
  for (std::size_t point = 0; point < 4; ++point) {
    const std::vector<SweepRow> rows = rounds.rows(point, watch);
    const double seconds = static_cast<double>(10 * point);
    CHECK(rows.at(0).samples == ProcessSamples(2, {seconds, seconds + 1}));
  }
  CHECK_THROWS_AS(rounds.rows(4, watch), RunError);  // which does not concern the next point
  CHECK(rounds.rows(5, watch).at(0).status == "ok");
  CHECK(
      order ==
      std::vector<std::pair<std::size_t, std::int64_t>>{
          {0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 0}, {5, 0}, {5, 1}});
}

TEST_CASE("a document without the rows that were asked for is an error", "[sweep]") {
  const std::vector<SweepKernel> kernels{{"flash", "avx2", nullptr, ""}};
  std::vector<SweepRow> rows;
  CHECK_THROWS_AS(merge_rows("", kernels, rows), RunError);
  rows.clear();
  CHECK_THROWS_AS(merge_rows("{\"tables\": []}", kernels, rows), RunError);
  rows.clear();
  CHECK_THROWS_AS(merge_rows("{\"tables\": [{\"name\": \"sweep\", \"rows\": []}, {\"name\": "
                             "\"order\", \"rows\": []}]}",
                             kernels, rows),
                  RunError);
}

}  // namespace
}  // namespace attnlab
