// The cost experiment as its tables show it: rows of models sum to `all`, parts to their layer, and
// what cannot be counted is refused by name.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/experiment.h"
#include "experiments/registry.h"
#include "support/catch.h"

namespace attnlab {
namespace {

const std::string kModels = std::string(ATTNLAB_TEST_DATA) + "/model-configs/";

// One planned cost experiment, ready to run or with its mistakes.
class Run {
 public:
  explicit Run(const Json& config) : experiment_(find_experiment("cost")->make()) {
    experiment_->declare(list_);
    list_.read(config, "", {}, mistakes);
    if (mistakes.empty()) experiment_->prepare("", mistakes);
    if (!mistakes.empty()) return;
    tables_ = experiment_->tables();
    ThreadTeam team(1);
    Watch watch;
    RunContext context{team, watch};
    for (std::size_t i = 0; i < experiment_->points().size(); ++i) {
      experiment_->run(i, context, tables_);
    }
    experiment_->finish(tables_);
  }

  const Table& table(const std::string& name) const {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& one) { return one.name == name; });
    REQUIRE(found != tables_.end());
    return *found;
  }
  std::vector<Mistake> mistakes;

 private:
  std::unique_ptr<Experiment> experiment_;
  ParameterList list_;
  std::vector<Table> tables_;
};

std::int64_t whole(const Table& table, const Row& row, const char* column) {
  const Cell& cell = table.at(row, column);
  REQUIRE(std::holds_alternative<std::int64_t>(cell));
  return std::get<std::int64_t>(cell);
}
std::string text(const Table& table, const Row& row, const char* column) {
  return std::get<std::string>(table.at(row, column));
}

std::vector<std::string> own_models() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.path().stem() != "expected") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("layer rows sum to all", "[experiments][cost]") {
  const Run run(
      {{"model", own_models()}, {"n", {7, 100}}, {"causal", "bottom-right"}, {"batch", 2}});
  REQUIRE(run.mistakes.empty());
  const char* columns[] = {"projection_macs", "attention_macs", "ffn_macs",
                           "score_bytes",     "pairs",          "kv_cache_bytes_per_token"};
  const Table& table = run.table("cost");
  std::map<std::string, std::map<std::string, std::int64_t>> sums;
  int rows = 0;
  for (const Row& row : table.rows) {
    const std::string key = text(table, row, "model") + std::to_string(whole(table, row, "n"));
    const bool is_tower = text(table, row, "layer_type").ends_with("_tower");
    for (const char* column : columns) {
      CAPTURE(key, column);
      const std::int64_t value = whole(table, row, column);
      if (text(table, row, "layer_type") != "all") {
        if (!is_tower) sums[key][column] += whole(table, row, "layers") * value;
      } else {
        CHECK(value == sums[key][column]);
        ++rows;
      }
    }
  }
  CHECK(rows > 100);
}

TEST_CASE("parts sum to the layer's total", "[experiments][cost]") {
  const Run run(Json{{"model", own_models()}, {"n", 100}});
  REQUIRE(run.mistakes.empty());
  const Table& cost = run.table("cost");
  const Table& parts = run.table("parts");
  for (const Row& row : cost.rows) {
    std::int64_t macs = 0;
    double share = 0;
    for (const Row& part : parts.rows) {
      if (text(parts, part, "model") != text(cost, row, "model") ||
          text(parts, part, "layer_type") != text(cost, row, "layer_type") ||
          text(parts, part, "part") == "output_head") {
        continue;
      }
      CHECK(whole(parts, part, "flops") == 2 * whole(parts, part, "macs"));
      macs += whole(parts, part, "macs");
      const Cell& cell = parts.at(part, "share");
      if (const auto* number = std::get_if<double>(&cell)) share += *number;
    }
    CAPTURE(text(cost, row, "model"), text(cost, row, "layer_type"));
    CHECK(macs == whole(cost, row, "projection_macs") + whole(cost, row, "attention_macs") +
                      whole(cost, row, "ffn_macs"));
    if (macs > 0 && text(cost, row, "layer_type") != "all") CHECK(share == Approx(1));
  }
}

TEST_CASE("a causal decode is the difference of two causal prefills", "[experiments][cost]") {
  const Run run(Json{{"model", own_models()}, {"n", {99, 100}}});
  REQUIRE(run.mistakes.empty());
  const Table& table = run.table("phases");
  std::map<std::string, std::int64_t> macs;
  for (const Row& row : table.rows) {
    if (text(table, row, "causal") != "bottom-right") continue;
    macs[text(table, row, "model") + "/" + text(table, row, "layer_type") + "/" +
         text(table, row, "phase") + std::to_string(whole(table, row, "n"))] =
        whole(table, row, "attention_macs");
  }
  int compared = 0;
  for (const auto& [key, value] : macs) {
    const std::size_t at = key.find("/decode100");
    // Cross-attention reads the same source at every step.
    if (at == std::string::npos || key.find("cross") != std::string::npos) continue;
    const std::string layer = key.substr(0, at);
    if (layer.ends_with("/all")) continue;
    CAPTURE(key);
    CHECK(value == macs.at(layer + "/prefill100") - macs.at(layer + "/prefill99"));
    ++compared;
  }
  CHECK(compared > 50);
}

TEST_CASE("a model alone and beside others has the same rows", "[experiments][cost]") {
  const std::string first = kModels + "grouped-queries.json", second = kModels + "latent.json";
  const Run both(Json{{"model", {first, second}}, {"n", 64}});
  const Run alone(Json{{"model", second}, {"n", 64}});
  REQUIRE(both.mistakes.empty());
  REQUIRE(both.table("comparison").rows.size() == 2);
  CHECK(both.table("cost").rows.back().cells == alone.table("cost").rows.back().cells);
  CHECK_FALSE(both.table("comparison").is_detail);
}

TEST_CASE("the caches of one token in every dtype", "[experiments][cost]") {
  const Run run(Json{{"heads", 64}, {"head_dim", 64}, {"D", 2880}, {"kv_heads", 8}, {"n", 100}});
  REQUIRE(run.mistakes.empty());
  const Table& table = run.table("kv_cache");
  std::map<std::string, std::int64_t> bytes;
  for (const Row& row : table.rows) {
    bytes[text(table, row, "dtype")] = whole(table, row, "bytes_per_token");
    CHECK(whole(table, row, "bytes") == 100 * whole(table, row, "bytes_per_token"));
  }
  const std::map<std::string, std::int64_t> expected = {
      {"f32", 4096}, {"bf16", 2048}, {"f16", 2048}, {"int8", 1024}};
  CHECK(bytes == expected);
}

TEST_CASE("checkpointing keeps the layers' inputs", "[experiments][cost]") {
  const Run run(Json{{"D", 64}, {"heads", 4}, {"n", 10}, {"layers", 3}});
  const Table& table = run.table("training");
  int rows = 0;
  for (const Row& row : table.rows) {
    const bool again = std::get<bool>(table.at(row, "checkpointing"));
    const std::int64_t size = text(table, row, "dtype") == "f32" ? 4 : 2;
    const std::int64_t whole_layer =
        whole(table, row, "score_bytes") + whole(table, row, "activation_bytes");
    CHECK(whole(table, row, "kept_bytes") == (again ? 10 * 64 * size : whole_layer));
    CHECK(whole(table, row, "peak_bytes") ==
          3 * whole(table, row, "kept_bytes") + (again ? whole_layer : 0));
    ++rows;
  }
  CHECK(rows == 8);
}

TEST_CASE("what was read and what was assumed is told", "[experiments][cost]") {
  const Run run(Json{{"model", kModels + "text-of-several-inputs.json"}});
  REQUIRE(run.mistakes.empty());
  std::string notes;
  for (const std::string& note : run.table("cost").notes) notes += note + "\n";
  CHECK_THAT(notes, Catch::Contains("read model_type") &&
                        Catch::Contains("text_config.head_dim = 256 assumed"));
  const Run absent(Json{{"model", kModels + "null-is-absent.json"}});
  notes.clear();
  for (const std::string& note : absent.table("cost").notes) notes += note + "\n";
  CHECK_THAT(notes, Catch::Contains("head_dim absent: hidden_size / num_attention_heads = 8"));
}

TEST_CASE("sizes beside a model, and counts beyond 64 bits, are refused", "[experiments][cost]") {
  const std::string model = kModels + "latent.json";
  const Run sizes(Json{{"model", model}, {"heads", 8}, {"ffn_gated", true}});
  REQUIRE(sizes.mistakes.size() == 2);
  CHECK(sizes.mistakes[0].place == "heads");
  CHECK(sizes.mistakes[1].place == "ffn_gated");
  const Run huge(Json{{"D", 1'000'000}, {"heads", 1}, {"n", {1, 1'000'000'000}}});
  REQUIRE(huge.mistakes.size() == 1);
  CHECK_THAT(huge.mistakes[0].text(), Catch::Contains("n = 1000000000 gives counts of 2^63"));
  const Run missing(Json{{"model", {model, "no-such-file.json"}}});
  REQUIRE(missing.mistakes.size() == 1);
  CHECK_THAT(missing.mistakes[0].text(), Catch::Contains("no-such-file.json"));
}

TEST_CASE("a file that is far too large is refused before it is read whole",
          "[experiments][cost]") {
  const auto path = std::filesystem::temp_directory_path() / "attnlab-large-config.json";
  std::ofstream(path).put(' ');
  std::filesystem::resize_file(path, 100'000'000);
  const Run run(Json{{"model", path.string()}});
  std::filesystem::remove(path);
  REQUIRE(run.mistakes.size() == 1);
  CHECK_THAT(run.mistakes[0].text(), Catch::Contains("larger than"));
}

}  // namespace attnlab
