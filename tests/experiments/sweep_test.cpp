// The sweep as its tables show it. Times are whatever this machine gives: nothing here depends on
// them but that they exist.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attention/registry.h"
#include "base/json.h"
#include "experiments/experiment.h"
#include "experiments/registry.h"
#include "experiments/sweep_check.h"
#include "experiments/sweep_derived.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_processes.h"
#include "experiments/sweep_tables.h"
#include "support/catch.h"

namespace attnlab {
namespace {

// One planned sweep, run unless it has mistakes.
class Run {
 public:
  explicit Run(Json config) : experiment_(find_experiment("sweep")->make()) {
    for (const auto& [key, value] : Json{{"repeats", 2}, {"min_time", 0}, {"n", 5}}.items()) {
      if (!config.contains(key)) config[key] = value;
    }
    experiment_->declare(list_);
    list_.read(config, "", {}, mistakes);
    if (mistakes.empty()) experiment_->prepare("", mistakes);
    if (!mistakes.empty()) return;
    tables = experiment_->tables();
    ThreadTeam team(1);
    Watch watch;
    RunContext context{team, watch};
    points = experiment_->points();
    for (std::size_t i = 0; i < points.size(); ++i) experiment_->run(i, context, tables);
    experiment_->finish(tables);
  }

  const Table& table() const { return tables[kSweepTable]; }
  Cell at(std::size_t row, const char* column) const {
    return table().at(table().rows.at(row), column);
  }
  double real(std::size_t row, const char* column) const {
    return std::get<double>(at(row, column));
  }
  std::int64_t whole(std::size_t row, const char* column) const {
    return std::get<std::int64_t>(at(row, column));
  }
  bool all(const char* column, const Cell& value) const {
    return std::all_of(table().rows.begin(), table().rows.end(),
                       [&](const Row& row) { return table().at(row, column) == value; });
  }

  std::vector<Mistake> mistakes;
  std::vector<Table> tables;
  std::vector<Point> points;

 private:
  std::unique_ptr<Experiment> experiment_;
  ParameterList list_;
};

Json all_kernels() {
  std::set<std::string> names;
  for (const Kernel& kernel : kernels()) names.emplace(kernel.name);
  return Json(names);
}

const Cell kOk = std::string("ok");

TEST_CASE("every kernel passes its check on every instruction set, type and scope", "[sweep]") {
  for (const Json& more :
       {Json{{"scope", "attention"},
             {"causal", {"none", "bottom-right"}},
             {"dtype", {"f32", "bf16", "f16"}}},
        Json{
            {"scope", "attention"}, {"nq", 3}, {"kv_heads", 2}, {"head_dim", 7}, {"head_dim_v", 9}},
        Json{{"scope", "module"}, {"d_model", 24}, {"nk", 9}},
        Json{{"scope", "block"}, {"d_model", 24}}, Json{{"phase", "decode"}, {"n", {3, 70}}},
        Json{{"phase", "generate"}, {"cache", false}, {"n", {3, 17}}, {"features", 16}}}) {
    Json config = more;
    config["kernel"] = all_kernels();
    config["isa"] = "all";
    config["head_dim"] = config.value("head_dim", Json(8));
    config["threads"] = {1, 2};
    const Run run(config);
    INFO(config.dump());
    REQUIRE(run.mistakes.empty());
    CHECK(run.table().rows.size() >= 20);
    CHECK(run.all("status", kOk));
    for (std::size_t i = 0; i < run.table().rows.size(); ++i) {
      REQUIRE(run.real(i, "time") > 0);
      REQUIRE(run.real(i, "error_ratio") <= 2);
      REQUIRE(run.whole(i, "working_set_bytes") > run.whole(i, "workspace_bytes"));
      REQUIRE(run.table().rows[i].time_samples.at(0).size() == 2);
    }
  }
}

TEST_CASE("a generation without a cache does the pairs of every prefix", "[sweep]") {
  const Run with(
      {{"phase", "generate"}, {"kernel", "flash"}, {"n", 6}, {"heads", 2}, {"head_dim", 4}});
  const Run without({{"phase", "generate"},
                     {"kernel", "flash"},
                     {"n", 6},
                     {"heads", 2},
                     {"head_dim", 4},
                     {"cache", false}});
  CHECK(with.whole(0, "macs") == 21 * 2 * 8);     // 1 + 2 + ... + 6 pairs
  CHECK(without.whole(0, "macs") == 56 * 2 * 8);  // 1 + 3 + 6 + 10 + 15 + 21
  CHECK(with.real(0, "tokens_per_second") == Approx(6 / with.real(0, "time")));
  // q, k, v, o of 6 tokens, 2 heads of 4; the cache once more.
  CHECK(with.whole(0, "working_set_bytes") - with.whole(0, "workspace_bytes") == 4 * 6 * 2 * 4 * 4);
}

TEST_CASE("multiply-adds, bytes and speedup are what the columns say", "[sweep]") {
  const Run run({{"n", 64}, {"threads", 1}, {"kernel", {"naive", "flash"}}});
  CHECK(run.whole(0, "macs") == 2 * 64 * 64 * 256);
  CHECK(run.whole(0, "working_set_bytes") == 4 * 64 * 256 * 4 + run.whole(0, "workspace_bytes"));
  CHECK(run.real(0, "speedup") == 1);
  CHECK(run.real(1, "speedup") == Approx(run.real(0, "time") / run.real(1, "time")));
  CHECK(run.real(1, "flops_per_second") == Approx(2 * 2097152 / run.real(1, "time")));
  CHECK(run.real(0, "max_error") == run.real(0, "approximation_error"));
  const Run alone({{"kernel", "flash"}});
  CHECK(alone.at(0, "speedup") == Cell());
}

TEST_CASE("the order of measurement is recorded for every row", "[sweep]") {
  const Run run({{"kernel", {"naive", "flash"}}, {"n", {4, 8}}, {"repeats", 6}});
  const Table& order = run.tables[kOrderTable];
  REQUIRE(order.rows.size() == 4);
  std::map<std::int64_t, std::set<std::int64_t>> places;
  for (const Row& row : order.rows) {
    for (const std::int64_t place : std::get<std::vector<std::int64_t>>(order.at(row, "order"))) {
      CHECK(places[std::get<std::int64_t>(order.at(row, "n"))].insert(place).second);
    }
  }
  for (const auto& [n, of_point] : places)
    CHECK((of_point.size() == 12 && *of_point.rbegin() == 11));
}

TEST_CASE("what needs too much memory is refused before it is allocated", "[sweep]") {
  const std::int64_t limit = 64 << 20;
  AlignedBuffer::reset_peak();
  const Run run({{"n", 16384},
                 {"heads", 1},
                 {"head_dim", 8},
                 {"kernel", {"naive", "window"}},
                 {"window", 4},
                 {"max_memory", limit},
                 {"threads", 1}});
  CHECK(AlignedBuffer::peak_bytes() < limit);
  CHECK(run.at(0, "status") == Cell(std::string("refused")));
  CHECK(std::get<std::string>(run.at(0, "reason")).find("--max-memory") != std::string::npos);
  CHECK(run.at(0, "time") == Cell());
  CHECK(run.whole(0, "workspace_bytes") >= std::int64_t{16384} * 16384 * 4);
  CHECK(run.at(1, "status") == kOk);
  CHECK(run.points[0].parts[0].status == "refused");
}

TEST_CASE("what would take too long is skipped, by what shorter calls took", "[sweep]") {
  const Run run({{"n", 4096},
                 {"heads", 1},
                 {"head_dim", 64},
                 {"kernel", {"reference", "window"}},
                 {"window", 2},
                 {"max_time", 0.5},
                 {"repeats", 6},
                 {"threads", 1}});
  CHECK(run.at(0, "status") == Cell(std::string("skipped")));
  CHECK(std::get<std::string>(run.at(0, "reason")).find("--max-time") != std::string::npos);
  CHECK(run.at(1, "status") == kOk);
}

TEST_CASE("what a kernel cannot do is a skipped row with the reason", "[sweep]") {
  const Run run({{"phase", "generate"}, {"kernel", {"linear", "bigbird", "flash"}}});
  CHECK(run.at(0, "status") == Cell(std::string("skipped")));
  CHECK(std::get<std::string>(run.at(0, "reason")).find("cache") != std::string::npos);
  CHECK(run.at(1, "status") == Cell(std::string("skipped")));
  CHECK(run.at(2, "status") == kOk);
}

TEST_CASE("mistakes of several parameters name their place", "[sweep]") {
  const auto place_of = [](const Json& config) {
    const Run run(config);
    return run.mistakes.empty() ? "" : run.mistakes[0].place;
  };
  CHECK(place_of({{"heads", 3}}).find("head_dim") != std::string::npos);
  CHECK(place_of({{"kv_heads", 3}}).find("kv_heads") != std::string::npos);
  CHECK(place_of({{"kernel", {"flash", "flash"}}}).find("kernel") != std::string::npos);
  CHECK(place_of({{"scope", "block"}, {"nq", 3}}).find("nq") != std::string::npos);
  CHECK(place_of({{"scope", "module"}, {"dtype", "bf16"}}).find("dtype") != std::string::npos);
  CHECK(place_of({{"scope", "module"}, {"phase", "decode"}}).find("scope") != std::string::npos);
  CHECK(place_of({{"cache", false}}).find("cache") != std::string::npos);
  CHECK(place_of({{"kernel", "flush"}}).find("kernel") != std::string::npos);
  CHECK(place_of(Json::object()).empty());
}

TEST_CASE("checked rows are all of few, and 64 of many with both ends", "[sweep]") {
  CHECK(checked_rows(1, 3) == std::vector<std::int64_t>{0});
  CHECK(checked_rows(512, 3).size() == 512);
  const auto some = checked_rows(100000, 3);
  CHECK(some.size() == 64);
  CHECK(some.front() == 0);
  CHECK(some.back() == 99999);
  CHECK(some == checked_rows(100000, 3));
  CHECK(some != checked_rows(100000, 4));
}

TEST_CASE("a wrong output is found in any checked row", "[sweep]") {
  SweepSettings settings;
  SweepPoint point = settings.points(1)[0];
  const auto setup = make_sweep_setup(settings, point);
  ThreadTeam team(1);
  const Watch watch;
  SweepChecker checker(*setup, checked_rows(point.n, 1), team);
  const auto work = setup->prepare(*find_kernel("flash"));
  work->run(team, watch);
  CHECK(checker.errors(Operator::kDense).is_right());
  const View output = setup->output();
  float* const number = output.row_as<float>(0, 3, 63) + 5;
  const float right = *number;
  *number += 1e-4f;
  CHECK(!checker.errors(Operator::kDense).is_right());
  CHECK(checker.errors(Operator::kDense).max_error == Approx(1e-4).epsilon(0.05));
  *number = std::numeric_limits<float>::quiet_NaN();
  CHECK(!checker.errors(Operator::kDense).is_right());
  *number = right;
  CHECK(!checker.errors(Operator::kLinear).is_right());  // another operator's result
}

// A table of rows as a run leaves it, with times by a law.
std::vector<Table> tables_with(const std::map<std::string, double (*)(double)>& laws) {
  SweepSettings settings;
  ParameterList list;
  settings.declare(list);
  std::vector<Table> tables = sweep_tables(settings, list);
  for (const double n : {64, 128, 256, 512, 1024}) {
    for (const auto& [kernel, law] : laws) {
      auto row = tables[kSweepTable].add_row();
      row.set("kernel", kernel).set("isa", "avx2").set("dtype", "f32").set("threads", 1);
      row.set("n", static_cast<std::int64_t>(n))
          .set("working_set_bytes", static_cast<std::int64_t>(n * 100));
      row.set("noise", kernel == "flash" && n == 64 ? 0.5 : 0.01).set("flops_per_second", 1e9);
      row.row().time_samples = {std::vector<double>(8, law(n))};
    }
    auto peak = tables[kPeaksTable].add_row();
    peak.set("isa", "avx2")
        .set("dtype", "f32")
        .set("threads", 1)
        .set("flops_per_second", n == 256 ? 4e9 : 2e9);
  }
  derive_sweep_tables(1, tables);
  return tables;
}

TEST_CASE("fits, exponents and crossovers follow from the rows alone", "[sweep]") {
  const auto tables = tables_with({{"flash", [](double n) { return 1e-9 * n * n; }},
                                   {"linear", [](double n) { return 2e-7 * n; }}});
  const Table& fits = tables[kFitsTable];
  int seen = 0;
  for (const Row& row : fits.rows) {
    if (fits.at(row, "model") != Cell(std::string("a n^exponent"))) continue;
    ++seen;
    const bool is_flash = fits.at(row, "kernel") == Cell(std::string("flash"));
    CHECK(std::get<double>(fits.at(row, "exponent")) == Approx(is_flash ? 2 : 1));
    CHECK(std::get<double>(fits.at(row, "memory_exponent")) == Approx(1));
  }
  CHECK(seen == 2);
  const Table& crossovers = tables[kCrossoversTable];
  REQUIRE(crossovers.rows.size() == 1);
  CHECK(crossovers.at(crossovers.rows[0], "slower") == Cell(std::string("flash")));
  CHECK(std::get<double>(crossovers.at(crossovers.rows[0], "n")) == Approx(200).epsilon(0.02));
  CHECK(tables[kExponentsTable].rows.size() == 8);
}

TEST_CASE("the share of the peak is against the best of the run, and noise is said", "[sweep]") {
  const auto tables = tables_with({{"flash", [](double n) { return 1e-9 * n * n; }}});
  const Table& table = tables[kSweepTable];
  for (const Row& row : table.rows) CHECK(std::get<double>(table.at(row, "peak_share")) == 0.25);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].find("1 of 5 rows") == 0);
  CHECK(table.notes[0].find("flash at n = 64") != std::string::npos);
  CHECK(table.notes[0].find("--repeats") != std::string::npos);
}

TEST_CASE("a process of --runs is given its point alone", "[sweep]") {
  SweepSettings settings;
  ParameterList list;
  settings.declare(list);
  settings.runs = 5;
  settings.max_time = Duration{10};
  settings.threads = {AutoCount{1}, AutoCount{2}};
  const auto points = settings.points(2);
  const auto arguments = process_arguments(list, settings, points.back(), 1e9);
  const auto has = [&](const std::string& argument) {
    return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
  };
  CHECK(arguments[0] == "sweep");
  CHECK(has("--n=1024"));
  CHECK(has("--threads=2"));
  CHECK(has("--kernel=naive,flash"));
  CHECK(has("--runs=1"));
  CHECK(has("--max-memory=1000000000"));
  CHECK(has("--max-time=2.0"));
  CHECK(has("--format=json"));
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
