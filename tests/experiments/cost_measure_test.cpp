// `cost --measure`: what is measured and how it is put beside the counts. Times themselves are
// whatever this machine gives.
#include <cmath>
#include <string>
#include <vector>

#include "experiments/cost_linear_parts.h"
#include "experiments/cost_tables.h"
#include "experiments/sweep_run.h"
#include "support/catch.h"

namespace attnlab {
namespace {

const std::string kModels = std::string(ATTNLAB_TEST_DATA) + "/model-configs/";

Run measured(Json config) {
  config["measure"] = true;
  config["repeats"] = 6;
  config["min_time"] = 0;
  return Run(config, "cost");
}

const Table& table(const Run& run, const std::string& name) {
  for (const Table& one : run.tables) {
    if (one.name == name) return one;
  }
  FAIL("no table " << name);
  return run.tables.front();
}

std::string text(const Table& of, const Row& row, const char* column) {
  const Cell& cell = of.at(row, column);
  return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
}
double real(const Table& of, const Row& row, const char* column) {
  const Cell& cell = of.at(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  REQUIRE(std::holds_alternative<double>(cell));
  return std::get<double>(cell);
}
bool is_null(const Table& of, const Row& row, const char* column) {
  return std::holds_alternative<std::monostate>(of.at(row, column));
}

std::vector<std::string> parts_at(const Run& run, std::int64_t n) {
  const Table& of = table(run, "measured");
  std::vector<std::string> out;
  for (const Row& row : of.rows) {
    if (std::get<std::int64_t>(of.at(row, "n")) == n) {
      out.push_back(text(of, row, "part") + "/" + text(of, row, "kernel"));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every part of a layer is measured at every length", "[cost]") {
  const Run run = measured({{"D", 64}, {"heads", 4}, {"kv_heads", 2}, {"n", {16, 33}}});
  REQUIRE(run.mistakes.empty());
  const std::vector<std::string> expected{"projections/blas",   "ffn/blas",
                                          "attention/naive",    "fused/flash",
                                          "contractions/naive", "softmax/naive"};
  for (const std::int64_t n : {16, 33}) CHECK(parts_at(run, n) == expected);
  const Table& of = table(run, "measured");
  for (const Row& row : of.rows) {
    INFO(text(of, row, "part"));
    REQUIRE(row.time_samples.size() == 1);
    CHECK(row.time_samples.front().size() == 6);
    CHECK(text(of, row, "status") == "ok");
    if (text(of, row, "part") == "softmax")
      continue;  // a difference, which noise may make negative
    CHECK(real(of, row, "time") > 0);
    CHECK(real(of, row, "flops_per_second") ==
          Approx(2 * real(of, row, "macs") / real(of, row, "time")).epsilon(1e-12));
  }
  const Table& cost = table(run, "cost");
  const Row& first = cost.rows.front();
  CHECK(real(cost, first, "projection_macs") == 16 * (64 * 64 * 2 + 64 * 32 * 2));
  CHECK(real(of, of.rows[0], "macs") == real(cost, first, "projection_macs"));
  CHECK(real(of, of.rows[2], "macs") == real(cost, first, "attention_macs"));
  CHECK(real(cost, first, "projection_time") == real(of, of.rows[0], "time"));
  CHECK(real(cost, first, "measured_ratio_low") <= real(cost, first, "measured_ratio"));
  const Table& generation = table(run, "generation");
  REQUIRE(generation.rows.size() == 2);
  CHECK(real(generation, generation.rows[1], "cache_bytes") == 33 * 2 * (16 + 16) * 4);
  CHECK(real(generation, generation.rows[1], "weight_bytes") ==
        4 * (64 * 64 * 2 + 64 * 32 * 2 + 8 * 64 * 64));
  const Table& peaks = table(run, "peaks");
  CHECK(peaks.rows.size() >= 2 * 3);  // for each n: multiply-adds, and reading and copying memory
}

TEST_CASE("a window is measured by the kernel of windows alone", "[cost]") {
  const Run run = measured(
      {{"D", 64}, {"heads", 4}, {"window", 8}, {"causal", "bottom-right"}, {"n", 40}, {"ffn", 0}});
  REQUIRE(run.mistakes.empty());
  CHECK(parts_at(run, 40) == std::vector<std::string>{"projections/blas", "fused/window"});
  const Table& cost = table(run, "cost");
  CHECK(is_null(cost, cost.rows[0], "measured_ratio"));
  CHECK(real(cost, cost.rows[0], "fused_ratio") > 0);
  const Table& generation = table(run, "generation");
  CHECK(real(generation, generation.rows[0], "cache_bytes") == 8 * 64 * 2 * 4);
}

TEST_CASE("the sum of a model's layers is the sum of their times", "[cost]") {
  const Run run = measured({{"model", kModels + "window-pattern.json"}, {"n", 24}});
  REQUIRE(run.mistakes.empty());
  const Table& cost = table(run, "cost");
  double sum = 0;
  for (const Row& row : cost.rows) {
    const double layers = real(cost, row, "layers");
    if (text(cost, row, "layer_type") != "all") {
      sum += layers * real(cost, row, "projection_time");
    } else {
      // A median of sums is near the sum of medians, not equal to it.
      CHECK(real(cost, row, "projection_time") == Approx(sum).epsilon(0.9));
    }
  }
  CHECK(cost.rows.size() > 1);
}

TEST_CASE("gated layers, experts and cached keys have the products that are counted", "[cost]") {
  LayerShape shape;
  shape.width = 48;
  shape.heads = 3;
  shape.kv_heads = 1;
  shape.head_dim = 20;
  shape.head_dim_v = 12;
  shape.ffn = {.gated = true, .dense = 40, .expert = 16, .experts = 4, .active_experts = 2};
  ThreadTeam team(2);
  for (const Extent extent : {Extent{7, 7, 7}, Extent{3, 9, 3}, Extent{70, 70, 70}}) {
    const LayerCost cost = layer_cost(shape, extent);
    LinearParts parts(shape, extent, 2);
    CHECK(parts.mistake(team) == "");
    parts.projections(team);
    parts.feed_forward(team);
    for (int i = 0; i < 3; ++i) parts.token(team);
    const std::int64_t weights = 48 * (60 + 20 + 12) + 36 * 48 + 3 * 48 * (40 + 2 * 16);
    CHECK(LinearParts::weights(shape) == weights);
    CHECK(LinearParts::bytes(shape, extent, 2) >= 8.0 * static_cast<double>(weights));
    if (extent.nq == extent.nk) {
      CHECK(cost.projection_macs.value().value() + cost.ffn_macs.value().value() ==
            extent.nq * weights);
    }
  }
}

TEST_CASE("what is not measured says so, and its counts stand", "[cost]") {
  LayerShape latent;
  latent.latent = LatentShape{32, 8};
  CHECK(LinearParts::why_not(latent).find("latent") != std::string::npos);
  const Run run = measured({{"model", kModels + "latent.json"}, {"n", 24}});
  REQUIRE(run.mistakes.empty());
  const Table& of = table(run, "measured");
  REQUIRE(!of.rows.empty());
  CHECK(text(of, of.rows[0], "status") == "skipped");
  CHECK(text(of, of.rows[0], "reason").find("latent") != std::string::npos);
  const Table& cost = table(run, "cost");
  CHECK(real(cost, cost.rows[0], "attention_macs") > 0);
  CHECK(is_null(cost, cost.rows[0], "measured_ratio"));
}

TEST_CASE("ratios and crossovers follow from the samples", "[cost]") {
  // Attention takes 2 n^2, fused attention n^2, the projections 1000 n, the feed-forward layer
  // 2000 n: they cross at n = 500 and 1000, with the feed-forward layer at 1500 and 3000.
  CostSubject subject;
  LayerShape shape;
  subject.shape.types = {{"attention", 1, shape}};
  ParameterList parameters;
  std::int64_t layers = 1, n_parameter = 1;
  parameters.add("layers", layers, "layers");
  parameters.add("n", n_parameter, "n");
  std::vector<Table> tables = cost_tables(parameters, false, true);
  const MeasuredTables out(tables);
  for (const std::int64_t n : {128, 256, 512, 1024, 2048}) {
    add_cost_rows(subject, {n, n, n}, tables);
    const auto add = [&](const char* part, double seconds) {
      Table::RowWriter row = out.measured.add_row();
      row.set("layer_type", "attention").set("n", n).set("part", part);
      std::vector<double> samples;
      for (int i = 0; i < 8; ++i) samples.push_back(seconds * (1 + 1e-4 * (i % 3)));
      row.row().time_samples = {samples};
    };
    const auto size = static_cast<double>(n);
    add("projections", 1e-6 * 1000 * size);
    add("ffn", 1e-6 * 2000 * size);
    add("attention", 1e-6 * 2 * size * size);
    add("fused", 1e-6 * size * size);
  }
  finish_measured(std::vector<CostSubject>{subject}, tables);
  const Table& cost = tables[CostTables::kCost];
  const Row& row = cost.rows[2];  // n = 512
  CHECK(real(cost, row, "measured_ratio") == Approx(2 * 512 / 1000.0).epsilon(1e-3));
  CHECK(real(cost, row, "fused_ratio") == Approx(512 / 1000.0).epsilon(1e-3));
  CHECK(real(cost, row, "measured_crossover_n") == Approx(500).epsilon(1e-3));
  CHECK(real(cost, row, "fused_crossover_n") == Approx(1000).epsilon(1e-3));
  CHECK(real(cost, row, "measured_crossover_n_all_linear") == Approx(1500).epsilon(1e-3));
  CHECK(real(cost, row, "measured_crossover_n_low") <= real(cost, row, "measured_crossover_n"));
  // Beyond what was measured, from the fits.
  CHECK(real(cost, row, "fused_crossover_n_all_linear") == Approx(3000).epsilon(2e-2));
  REQUIRE(!cost.notes.empty());
  // 2 n^2 / (2 n^2 D) over 1000 n / (4 n D^2) is D / 250.
  const std::string all = cost.notes[0] + cost.notes[1];
  CHECK(all.find("costs 3.07 times one in a projection (n = 512)") != std::string::npos);
  CHECK(all.find("from n = 500") != std::string::npos);
  CHECK(all.find("not 1536, as the counts say") != std::string::npos);
}

TEST_CASE("a measurement's memory is estimated before anything is allocated", "[cost]") {
  const Run run(Json{{"D", 8192},
                     {"heads", 64},
                     {"ffn", 28672},
                     {"ffn_gated", true},
                     {"n", 65536},
                     {"measure", true}},
                "cost", false);
  REQUIRE(run.mistakes.empty());
  REQUIRE(run.points.size() == 1);
  // Weights alone are 4 (4 D^2 + 3 D F).
  CHECK(run.points[0].bytes > 4.0 * (4.0 * 8192 * 8192 + 3.0 * 8192 * 28672));
  CHECK(run.points[0].seconds > 60);
}

}  // namespace attnlab
