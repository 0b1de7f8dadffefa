// What a sweep derives from its rows: speedup, share of peak, fits, crossovers, notes.
#include <map>
#include <string>
#include <vector>

#include "experiments/sweep_derived.h"
#include "experiments/sweep_run.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/peak.h"
#include "measure/sampler.h"
#include "support/catch.h"

namespace attnlab {
namespace {

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

}  // namespace
}  // namespace attnlab
