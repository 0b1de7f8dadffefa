// The sweep as its tables show it. Times are whatever this machine gives: nothing here depends on
// them but that they exist.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "attention/kv_cache.h"
#include "attention/registry.h"
#include "experiments/sweep_check.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_measure.h"
#include "experiments/sweep_run.h"
#include "experiments/sweep_setup.h"
#include "measure/sampler.h"
#include "support/catch.h"

namespace attnlab {
namespace {

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

TEST_CASE("kernels that read an int8 cache pass their check in it, the others are skipped",
          "[sweep]") {
  for (const char* phase : {"prefill", "decode", "generate"}) {
    const Run run({{"phase", phase},
                   {"kernel", all_kernels()},
                   {"isa", "all"},
                   {"dtype", "int8"},
                   {"n", {3, 70}},
                   {"heads", 4},
                   {"kv_heads", 2},
                   {"head_dim", 9}});
    INFO(phase);
    REQUIRE(run.mistakes.empty());
    for (std::size_t i = 0; i < run.table().rows.size(); ++i) {
      const auto name = std::get<std::string>(run.at(i, "kernel"));
      const bool reads = name == "decode" || name == "textbook" || name == "reference";
      CAPTURE(name);
      CHECK(run.at(i, "status") == (reads ? kOk : Cell(std::string("skipped"))));
      if (reads) CHECK(run.real(i, "error_ratio") <= 2);
      if (reads) CHECK(run.real(i, "approximation_error") > 1e-4);
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
  const SweepNeeds needs = sweep_needs(settings, settings.points(1)[0], settings.kernels({}));
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
      sweep_needs(settings, settings.points(1)[0], settings.kernels({})).kernels.at(0);
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
  CHECK(checker.errors(*find_kernel("flash")).is_right());
  const View output = setup->output();
  float* const number = output.row_as<float>(0, 3, 63) + 5;
  const float right = *number;
  *number += 1e-4f;
  CHECK(!checker.errors(*find_kernel("flash")).is_right());
  CHECK(checker.errors(*find_kernel("flash")).max_error == Approx(1e-4).epsilon(0.05));
  *number = std::numeric_limits<float>::quiet_NaN();
  CHECK(!checker.errors(*find_kernel("flash")).is_right());
  *number = right;
  CHECK(!checker.errors(*find_kernel("linear")).is_right());  // another operator's result
}

}  // namespace
}  // namespace attnlab
