// What a sweep refuses, skips and fails, and that every kernel of a point keeps its row.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "attention/registry.h"
#include "experiments/limits.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_measure.h"
#include "experiments/sweep_run.h"
#include "experiments/sweep_setup.h"
#include "measure/sampler.h"
#include "support/catch.h"

namespace attnlab {
namespace {

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
    kernels = settings.kernels(point.problem);
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

}  // namespace
}  // namespace attnlab
