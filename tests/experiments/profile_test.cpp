// The profile as its tables show it. Times are whatever this machine gives.
#include <cmath>
#include <string>
#include <vector>

#include "experiments/sweep_run.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Run profile(const Json& config) { return Run(config, "profile"); }

std::vector<std::string> stages(const Run& run) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < run.table().rows.size(); ++i) {
    out.push_back(std::get<std::string>(run.at(i, "stage")));
  }
  return out;
}

using Names = std::vector<std::string>;

TEST_CASE("every kernel with stages is profiled on every instruction set and type", "[profile]") {
  for (const char* kernel : {"flash", "window", "bigbird", "strided", "naive"}) {
    for (const char* dtype : {"f32", "bf16", "f16"}) {
      const Run run = profile({{"kernel", kernel},
                               {"isa", "all"},
                               {"dtype", dtype},
                               {"n", {5, 200}},
                               {"heads", 2},
                               {"head_dim", 24},
                               {"head_dim_v", 7},
                               {"causal", {"none", "bottom-right"}},
                               {"threads", {1, 2}}});
      INFO(kernel << " " << dtype);
      REQUIRE(run.mistakes.empty());
      CHECK(run.all("status", kOk));
      Names expected{"scores", "softmax", "weighted_sum"};
      if (kernel != std::string("naive")) expected.emplace_back("packing");
      if (dtype != std::string("f32")) expected.emplace_back("conversion");
      expected.insert(expected.end(), {"waiting", "rest", "sum", "total"});
      const Names found = stages(run);
      REQUIRE(found.size() == expected.size() * run.points.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        REQUIRE(found[i] == expected[i % expected.size()]);
      }
    }
  }
}

TEST_CASE("the parts of a profile add up to its sum, and shares are of the whole kernel",
          "[profile]") {
  const Run run = profile({{"kernel", {"flash", "naive"}},
                           {"n", 33},
                           {"threads", 2},
                           {"heads", 3},
                           {"head_dim", 8},
                           {"repeats", 7}});
  double parts = 0;
  std::vector<double> before;
  for (std::size_t i = 0; i < run.table().rows.size(); ++i) {
    const std::string stage = std::get<std::string>(run.at(i, "stage"));
    const double time = run.real(i, "time");
    before.push_back(time);
    if (stage == "scores" || stage == "total") {
      const std::int64_t contractions = stage == "total" ? 2 : 1;
      CHECK(run.whole(i, "flops") == contractions * 2 * 3 * 33 * 33 * 8);
    }
    if (stage == "waiting") {
      CHECK(time >= 0);
      CHECK(run.table().rows[i].time_samples.empty());
    }
    if (stage == "total") {
      CHECK(time > 0);
      CHECK(run.real(i, "share") == 1);
      CHECK(run.real(i, "peak_share") > 0);
      CHECK(run.table().rows[i].time_samples.at(0).size() == 7);
      CHECK(run.real(i, "time_low") <= time);
      parts = 0;
      for (std::size_t j = 0; j + 2 < before.size(); ++j) parts += before[j];
      CHECK(std::abs(parts - before[before.size() - 2]) <= 1e-12 * time);
      for (std::size_t j = 0; j < before.size(); ++j) {
        CHECK(std::abs(run.real(i + 1 - before.size() + j, "share") - before[j] / time) < 1e-12);
      }
      before.clear();
    }
  }
}

TEST_CASE("a kernel without stages is refused by name, with the reason", "[profile]") {
  for (const char* kernel : {"reference", "textbook", "linear", "performer", "decode"}) {
    const Run run = profile({{"kernel", {"flash", kernel}}});
    REQUIRE(run.mistakes.size() == 1);
    CHECK(run.mistakes[0].place == "kernel");
    CHECK(run.mistakes[0].problem.starts_with(std::string(kernel) + " cannot be profiled: it "));
    CHECK(run.mistakes[0].remedy == "give one of naive, flash, window, bigbird, strided");
  }
}

TEST_CASE("what cannot run is a row that says why", "[profile]") {
  const Run run = profile({{"kernel", {"flash", "naive"}}, {"isa", "neon"}, {"n", 4}});
  if (kBaseIsa == Isa::kNeon) return;  // elsewhere the word is unknown
  CHECK(run.mistakes.size() == 1);
  const Run refused = profile({{"isa", "avx512"}, {"n", 4}});
  REQUIRE(refused.mistakes.empty());
  if (find_kernel("flash")->isa == Isa::kAvx512) {
    CHECK(refused.all("status", kOk));
  } else {
    REQUIRE(refused.table().rows.size() == 1);
    CHECK(refused.at(0, "status") == Cell(std::string("skipped")));
    CHECK(std::get<std::string>(refused.at(0, "reason")).find("no avx512") != std::string::npos);
  }
}

}  // namespace
}  // namespace attnlab
