// The sweep as its tables show it. Times are whatever this machine gives: nothing here depends on
// them but that they exist.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "attention/kv_cache.h"
#include "attention/registry.h"
#include "base/json.h"
#include "experiments/experiment.h"
#include "experiments/limits.h"
#include "experiments/registry.h"
#include "experiments/sweep_check.h"
#include "experiments/sweep_derived.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_measure.h"
#include "experiments/sweep_processes.h"
#include "experiments/sweep_setup.h"
#include "experiments/sweep_tables.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/peak.h"
#include "measure/sampler.h"
#include "support/catch.h"

namespace attnlab {
namespace {

// One planned sweep, run unless it has mistakes.
class Run {
 public:
  explicit Run(Json config) : experiment_(find_experiment("sweep")->make()) {
    const Json defaults = {{"repeats", 2}, {"min_time", 0}, {"n", 5}};
    for (const auto& [key, value] : defaults.items()) {
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
             {"causal", Json::array({"none", "bottom-right"})},
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
      REQUIRE(run.table().rows[i].time_samples.at(0).size() == 2);
    }
  }
}

TEST_CASE("the working set of a layer has its weights", "[sweep]") {
  for (const char* scope : {"module", "block"}) {
    const Run run({{"scope", scope}, {"kernel", "flash"}, {"n", 3}, {"d_model", 8}, {"heads", 2}});
    const std::int64_t projections = 2 * 3 * 8 + 4 * 8 * 8;  // x, out, W_Q, W_K, W_V, W_O
    const std::int64_t rest = 2 * 8 * 32 + 32 + 8 + 4 * 8;   // W_1, W_2, their biases, two norms
    CHECK(run.whole(0, "working_set_bytes") - run.whole(0, "workspace_bytes") ==
          4 * (projections + (scope == std::string("block") ? rest : 0)));
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
  // q, k, v, o of 6 tokens, 2 heads of 4, in float32.
  CHECK(with.whole(0, "working_set_bytes") - with.whole(0, "workspace_bytes") == 4 * 6 * 2 * 4 * 4);
  CHECK(without.whole(0, "working_set_bytes") - without.whole(0, "workspace_bytes") ==
        4 * 6 * 2 * 4 * 4);
  // Beside what the kernel takes for a step: k and v of the cache, or the output computed anew.
  Problem step = self_attention(1, 2, 6, 4);
  step.causal = Causal::kBottomRight;
  const int threads = static_cast<int>(with.whole(0, "threads"));
  std::int64_t anew = 0, cached = 0;
  for (step.nk = 1; step.nk <= 6; ++step.nk) {
    step.nq = 1;
    cached = std::max(cached, find_kernel("flash")->workspace(step, threads));
    step.nq = step.nk;
    anew = std::max(anew, find_kernel("flash")->workspace(step, threads));
  }
  CHECK(with.whole(0, "workspace_bytes") == cached + 6 * 2 * (4 + 4) * 4);
  CHECK(without.whole(0, "workspace_bytes") == anew + 6 * 2 * 4 * 4);
}

TEST_CASE("tokens per second are those of all sequences", "[sweep]") {
  const Run run(
      {{"phase", "generate"}, {"kernel", "flash"}, {"n", 6}, {"batch", 3}, {"head_dim", 4}});
  CHECK(run.real(0, "tokens_per_second") * run.real(0, "time") == Approx(18));
}

// Every prefix by itself, as generation without a cache computes it.
std::int64_t macs_of_prefixes(const Problem& problem, Operator op) {
  std::int64_t out = 0;
  for (std::int64_t tokens = 1; tokens <= problem.nq; ++tokens) {
    const Problem step = Generation::step_problem(problem, tokens, Generation::Cache::kNo);
    out += multiply_adds(step, op).value();
  }
  return out;
}

TEST_CASE("pairs of all prefixes are counted row by row and are those of each", "[sweep]") {
  SweepSettings settings;
  settings.phase = SweepPhase::kGenerate;
  settings.cache = false;
  settings.n = {1, 63, 64, 65, 300, 517};
  settings.heads = {2};
  settings.batch = {3};
  settings.window = {1, 40, 200};
  for (const std::int64_t global : {0, 5, 130}) {
    settings.global_tokens = global;
    for (const SweepPoint& point : settings.points(1)) {
      INFO("n " << point.n << " window " << point.problem.window << " global " << global);
      for (const Operator op : kOperators) {
        INFO(operator_name(op));
        CHECK(sweep_macs(settings, point, op) == macs_of_prefixes(point.problem, op));
      }
    }
  }
}

TEST_CASE("a long generation without a cache is planned at once", "[sweep]") {
  SweepSettings settings;
  settings.phase = SweepPhase::kGenerate;
  settings.cache = false;
  settings.n = {16384};
  settings.kernel = {"bigbird", "strided"};
  SteadyClock clock;
  const double start = clock.now();
  const SweepNeeds needs = sweep_needs(settings, settings.points(1)[0], settings.kernels());
  CHECK(clock.now() - start < 5);  // each prefix by itself would be 10^9 rows
  for (const SweepNeed& need : needs.kernels) {
    CHECK(need.why_not.empty());
    CHECK(need.macs > std::int64_t{16384} * 16384 * 256 * 64);
  }
  settings.phase = SweepPhase::kPrefill;
  settings.cache = true;
  settings.n = {1 << 24};
  settings.heads = {8};
  settings.kernel = {"bigbird"};
  const SweepNeed many =
      sweep_needs(settings, settings.points(1)[0], settings.kernels()).kernels.at(0);
  CHECK(many.why_not.find("row by row") != std::string::npos);
}

TEST_CASE("multiply-adds, bytes and speedup are what the columns say", "[sweep]") {
  const Run run({{"n", 64}, {"threads", 1}, {"kernel", Json::array({"naive", "flash"})}});
  CHECK(run.whole(0, "macs") == 2 * 64 * 64 * 256);
  CHECK(run.whole(0, "working_set_bytes") == 4 * 64 * 256 * 4 + run.whole(0, "workspace_bytes"));
  CHECK(run.real(0, "speedup") == 1);
  CHECK(run.real(1, "speedup") == Approx(run.real(0, "time") / run.real(1, "time")));
  CHECK(run.real(1, "flops_per_second") == Approx(2 * 2097152 / run.real(1, "time")));
  CHECK(run.real(0, "max_error") == run.real(0, "approximation_error"));
  const Run alone(Json{{"kernel", "flash"}});
  CHECK(alone.at(0, "speedup") == Cell());
}

TEST_CASE("the order of measurement is recorded for every row", "[sweep]") {
  const Run run({{"kernel", Json::array({"naive", "flash"})}, {"n", {4, 8}}, {"repeats", 6}});
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
                 {"kernel", Json::array({"naive", "window"})},
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

// Two kernels that fit the limit one by one and not together, and a time limit that their typical
// rates say they pass.
struct TightPoint {
  SweepSettings settings;
  SweepPoint point;
  std::vector<SweepKernel> kernels;
  SweepNeeds needs;
  double allowed_bytes = 0;

  TightPoint() {
    settings.n = {512};
    settings.kernel = {"naive", "flash"};
    settings.repeats = 1;
    settings.min_time = Duration{0};
    settings.max_time = Duration{1e-9};
    point = settings.points(1)[0];
    kernels = settings.kernels();
    needs = sweep_needs(settings, point, kernels);
    const auto larger =
        std::max(needs.kernels[0].workspace_bytes, needs.kernels[1].workspace_bytes);
    allowed_bytes = needs.shared_bytes + static_cast<double>(larger);
    REQUIRE(needs.kernels[0].workspace_bytes > 0);
    REQUIRE(needs.kernels[1].workspace_bytes > 0);
  }
};

TEST_CASE("memory is decided over all that will run, whatever typical rates say", "[sweep]") {
  TightPoint tight;
  SweepRates rates;  // so fast that both are tried
  for (const SweepKernel& kernel : tight.kernels) rates.learn(kernel, tight.point, 1e18, 1e-9);
  ThreadTeam team(1);
  Watch watch;
  AlignedBuffer::reset_peak();
  const std::int64_t before = AlignedBuffer::bytes_in_use();
  const auto rows = measure_point(tight.settings, tight.point, tight.kernels, tight.needs,
                                  tight.allowed_bytes, 0, rates, team, watch);
  const bool naive_is_larger =
      tight.needs.kernels[0].workspace_bytes > tight.needs.kernels[1].workspace_bytes;
  const SweepRow &larger = rows[naive_is_larger ? 0 : 1], &smaller = rows[naive_is_larger ? 1 : 0];
  CHECK(larger.status == "refused");
  CHECK(larger.reason.find("together with the other kernels") != std::string::npos);
  CHECK(smaller.status == "skipped");  // by its own first call
  CHECK(static_cast<double>(AlignedBuffer::peak_bytes() - before) <= tight.allowed_bytes);
}

TEST_CASE("a kernel that the time forbids leaves its memory to the others", "[sweep]") {
  TightPoint tight;
  tight.settings.max_time = Duration{3600};
  SweepRates rates;
  const bool naive_is_larger =
      tight.needs.kernels[0].workspace_bytes > tight.needs.kernels[1].workspace_bytes;
  const std::size_t larger = naive_is_larger ? 0 : 1, smaller = 1 - larger;
  rates.learn(tight.kernels[larger], tight.point, 1e18, 1e-9);
  rates.learn(tight.kernels[smaller], tight.point, 1, 1e9);  // too slow
  ThreadTeam team(1);
  Watch watch;
  const auto rows = measure_point(tight.settings, tight.point, tight.kernels, tight.needs,
                                  tight.allowed_bytes, 0, rates, team, watch);
  CHECK(rows[larger].status == "ok");
  CHECK(rows[smaller].status == "skipped");
}

// A kernel whose workspace no system has.
Kernel insatiable_kernel() {
  Kernel out = *find_kernel("flash");
  out.name = "insatiable";
  out.workspace = [](const Problem&, int) { return std::int64_t{1} << 55; };
  return out;
}

TEST_CASE("a kernel without memory is refused, and the others are measured", "[sweep]") {
  SweepSettings settings;
  settings.n = {16};
  settings.repeats = 2;
  settings.min_time = Duration{0};
  const Kernel insatiable = insatiable_kernel();
  const std::vector<SweepKernel> kernels{
      {"insatiable", std::string(isa_name(insatiable.isa)), &insatiable, ""},
      {"naive", "blas", find_kernel("naive"), ""}};
  const SweepPoint point = settings.points(1)[0];
  SweepRates rates;
  ThreadTeam team(1);
  Watch watch;
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  for (const bool limited : {false, true}) {  // with --max-time a trial runs before
    if (limited) settings.max_time = Duration{3600};
    const auto rows = measure_point(settings, point, kernels, sweep_needs(settings, point, kernels),
                                    kUnlimited, 0, rates, team, watch);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].status == "refused");
    CHECK(rows[0].reason.find("no memory") != std::string::npos);
    CHECK(rows[1].status == "ok");
    CHECK(rows[1].samples.at(0).size() == 2);
  }
}

TEST_CASE("without memory for the inputs every kernel of the point has its row", "[sweep]") {
  const Run run({{"n", 1 << 24},  // 2^48 bytes of keys
                 {"nq", 1},
                 {"heads", 4096},
                 {"head_dim", 1024},
                 {"kernel", Json::array({"flash", "window", "linear"})},
                 {"max_memory", std::int64_t{1} << 59},
                 {"threads", 1}});
  REQUIRE(run.mistakes.empty());
  REQUIRE(run.table().rows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(run.at(i, "status") == Cell(std::string("refused")));
    CHECK(std::get<std::string>(run.at(i, "reason")).find("no memory") != std::string::npos);
  }
}

TEST_CASE("a process that does not measure is a row of every kernel", "[sweep]") {
  // This program is no attnlab: it ends with an error.
  const Run run({{"kernel", Json::array({"flash", "naive"})}, {"runs", 2}});
  REQUIRE(run.table().rows.size() == 2);
  CHECK(run.all("status", Cell(std::string("failed"))));
  CHECK(std::get<std::string>(run.at(1, "reason")).find("process 0") != std::string::npos);
}

TEST_CASE("limits below a second and just above them are told exactly", "[sweep]") {
  CHECK(limit_duration(0.5) == "500 ms");
  CHECK(limit_duration(0.00025) == "0.25 ms");
  CHECK(limit_duration(0.9999) == "1 s");
  CHECK(limit_duration(10.2) == "10.2 s");
  CHECK(limit_duration(125) == "2 min 5 s");
  CHECK(forecast(0, 0.75, 1, 0.5).second ==
        "would take about 750 ms, 500 ms are allowed (--max-time)");
  CHECK(forecast(3 << 20, 0, 1 << 20, 1).second ==
        "needs 3.0 MiB of memory, 1.0 MiB are allowed (--max-memory)");
}

TEST_CASE("what would take too long is skipped, by what shorter calls took", "[sweep]") {
  const Run run({{"n", 4096},
                 {"heads", 1},
                 {"head_dim", 64},
                 {"kernel", Json::array({"reference", "window"})},
                 {"window", 2},
                 {"max_time", 0.5},
                 {"repeats", 6},
                 {"threads", 1}});
  CHECK(run.at(0, "status") == Cell(std::string("skipped")));
  CHECK(std::get<std::string>(run.at(0, "reason")).find(" 500 ms are allowed (--max-time)") !=
        std::string::npos);
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
  CHECK(place_of({{"kernel", Json::array({"flash", "flash"})}}).find("kernel") !=
        std::string::npos);
  CHECK(place_of({{"scope", "block"}, {"nq", 3}}).find("nq") != std::string::npos);
  CHECK(place_of({{"scope", "module"}, {"dtype", "bf16"}}).find("dtype") != std::string::npos);
  CHECK(place_of({{"scope", "module"}, {"phase", "decode"}}).find("scope") != std::string::npos);
  CHECK(place_of({{"cache", false}}).find("cache") != std::string::npos);
  CHECK(place_of({{"kernel", "flush"}}).find("kernel") != std::string::npos);
  CHECK(place_of({{"n", {8, 16}}, {"nq", 3}, {"nk", 5}}) == "n");
  CHECK(place_of({{"n", {8, 16}}, {"nq", 3}}).empty());
  CHECK(place_of({{"d_model", {8, 16}}, {"head_dim", 4}}).find("d_model") != std::string::npos);
  CHECK(place_of({{"d_model", {8, 16}}, {"head_dim", 4}, {"scope", "module"}}).empty());
  CHECK(place_of({{"d_model", {8, 16}}}).empty());
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

std::vector<Table> empty_tables() {
  SweepSettings settings;
  ParameterList list;
  settings.declare(list);
  return sweep_tables(settings, list);
}

TEST_CASE("speedup is against the baseline's best instruction set, in any order", "[sweep]") {
  SweepSettings settings;
  settings.baseline = "window";
  SweepRow fast, slow;
  fast.macs = slow.macs = 1000;
  fast.samples = {{1, 1, 1}};
  slow.samples = {{4, 4, 4}};
  const SweepKernel avx2{"window", "avx2", nullptr, ""}, sse4{"window", "sse4", nullptr, ""};
  for (const bool best_first : {true, false}) {
    std::vector<Table> tables = empty_tables();
    write_sweep_rows(settings, settings.points(1)[0],
                     best_first ? std::vector{avx2, sse4} : std::vector{sse4, avx2},
                     best_first ? std::vector{fast, slow} : std::vector{slow, fast}, tables);
    const Table& table = tables[kSweepTable];
    CHECK(table.at(table.rows[best_first ? 0 : 1], "speedup") == Cell(1.0));
    CHECK(table.at(table.rows[best_first ? 1 : 0], "speedup") == Cell(0.25));
  }
}

TEST_CASE("BLAS is held against the peak of the best instruction set", "[sweep]") {
  std::vector<Table> tables = empty_tables();
  const std::string best(isa_name(peak_isa(Isa::kBlas)));
  auto row = tables[kSweepTable].add_row();
  row.set("kernel", "naive").set("isa", "blas").set("dtype", "f32").set("threads", 1).set("n", 8);
  row.set("working_set_bytes", 100).set("noise", 0.0).set("flops_per_second", 1e9);
  row.row().time_samples = {{1, 1}};
  const auto add_peak = [&](const std::string& isa, int threads, double peak) {
    auto probe = tables[kPeaksTable].add_row();
    probe.set("isa", isa).set("dtype", "f32").set("threads", threads).set("n", 8);
    probe.set("flops_per_second", peak);
  };
  add_peak(best, 1, 4e9);
  add_peak("other", 1, 2e9);
  add_peak("other", 8, 16e9);  // more threads: the highest of all
  derive_sweep_tables(1, tables);
  const Table& table = tables[kSweepTable];
  CHECK(table.at(table.rows[0], "peak_share") == Cell(0.25));
}

TEST_CASE("the coefficients and r2 of a fit are described as they are computed", "[sweep]") {
  const Table fits = std::move(empty_tables()[kFitsTable]);
  const auto help = [&](const char* name) {
    return fits.columns.at(static_cast<std::size_t>(fits.index_of(name))).help;
  };
  CHECK(help("r2").find("relative errors") != std::string::npos);
  CHECK(help("a").find("leading") != std::string::npos);
  CHECK(help("c").find("middle") != std::string::npos);
}

TEST_CASE("a core of BLAS that attnlab chose is noted", "[sweep]") {
  const auto notes = [] {
    std::vector<Table> tables = empty_tables();
    derive_sweep_tables(1, tables);
    return tables[kSweepTable].notes;
  };
  unsetenv(kCorrectedVariable);
  CHECK(notes().empty());
  setenv(kCorrectedVariable, "PRESCOTT", 1);
  const auto found = notes();
  unsetenv(kCorrectedVariable);
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("OpenBLAS had taken PRESCOTT kernels; attnlab chose " + blas_info().core) ==
        0);
}

// A table of rows as a run leaves it, with times by a law.
std::vector<Table> tables_with(const std::map<std::string, double (*)(double)>& laws) {
  std::vector<Table> tables = empty_tables();
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
  const auto run = [](std::int64_t process) -> std::string {
    if (process == 2) throw RunError("--runs", "process 2 ended with exit code 137", "");
    return timed_document(static_cast<double>(process), 1e9, 0.5);
  };
  const std::vector<SweepRow> rows = merge_processes(5, kFlash, run, watch);
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
  CHECK_THROWS_AS(merge_processes(
                      2, kFlash, [](std::int64_t) { return std::string(); }, watch),
                  RunError);
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
