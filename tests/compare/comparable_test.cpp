#include "compare/comparable.h"

#include "compare/timed_result.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Result with_provenance() {
  Result out = timed_result(1);
  out.provenance =
      Json::parse(R"({"version": "1", "commit": "a", "cpu": "X", "threads": 2, "flags": "-O3",
    "simd_targets": ["avx2"], "compiler": "g++", "build_type": "Release",
    "blas": {"name": "OpenBLAS", "version": "0.3.21", "core": "Zen", "core_chosen_by": "OpenBLAS"},
    "config": {"experiments": [{"experiment": "sweep", "kernel": ["naive"], "n": [64], "heads": [4],
                                "repeats": 10, "title": "a"}]}})");
  return out;
}

}  // namespace

TEST_CASE("version, commit and who chose the core do not keep results apart", "[compare]") {
  const Result base = with_provenance();
  Result now = base;
  now.provenance["version"] = "2";
  now.provenance["commit"] = "b";
  now.provenance["blas"]["core_chosen_by"] = "attnlab";
  CHECK(machine_differences(base, now).empty());
}

TEST_CASE("machine, threads and build keep results apart", "[compare]") {
  const Result base = with_provenance();
  for (const char* key : {"cpu", "threads", "flags", "compiler", "build_type", "simd_targets"}) {
    CAPTURE(key);
    Result now = base;
    now.provenance[key] = "another";
    const auto differences = machine_differences(base, now);
    REQUIRE(differences.size() == 1);
    CHECK(differences[0].place == key);
    now.provenance.erase(key);
    CHECK(machine_differences(base, now).size() == 1);
  }
  Result now = base;
  now.provenance["blas"]["core"] = "Haswell";
  CHECK(machine_differences(base, now)[0].text() == "was \"Zen\", is \"Haswell\" now");
}

TEST_CASE("settings that no column shows keep results apart, others do not", "[compare]") {
  const Result base = with_provenance();
  Result now = base;
  Json& sweep = now.provenance["config"]["experiments"][0];
  sweep["n"] = Json::array({64, 128});  // a column: its rows are extra
  sweep["repeats"] = 20;                // how long is measured
  sweep["title"] = "b";
  CHECK(setting_differences(base, now).empty());
  sweep["heads"] = Json::array({12});
  const auto differences = setting_differences(base, now);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].place == "sweep.heads[0]");
  CHECK(setting_differences(timed_result(1), timed_result(2)).empty());  // without a config
}

TEST_CASE("input files of another size keep results apart", "[compare]") {
  Result base = with_provenance(), now = base;
  base.provenance["inputs"] = Json::parse(R"([{"path": "a/q.npy", "bytes": 10, "changed_ns": 1}])");
  now.provenance["inputs"] = Json::parse(R"([{"path": "b/q.npy", "bytes": 10, "changed_ns": 2}])");
  CHECK(setting_differences(base, now).empty());
  now.provenance["inputs"][0]["bytes"] = 11;
  CHECK(setting_differences(base, now).size() == 1);
}

}  // namespace attnlab
