// Every rule by a small file of its own (tests/data/model-configs), the real files where they are
// at hand, and what must be refused.
#include "io/model_config.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "cost/layer.h"
#include "support/catch.h"

namespace attnlab {
namespace {

const std::string kOwn = std::string(ATTNLAB_TEST_DATA) + "/model-configs/";
const std::string kReal = std::string(ATTNLAB_SOURCE_DIR) + "/../shared/data/model-configs/";

const LayerType* find_type(const ModelConfig& config, const std::string& name) {
  for (const LayerType& type : config.shape.types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

// What expected.json calls a value of a layer type.
Json value_of(const LayerType& type, const std::string& key) {
  const LayerShape& s = type.shape;
  const LatentShape latent = s.latent.value_or(LatentShape{});
  const auto or_null = [](const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json();
  };
  if (key == "name") return type.name;
  if (key == "layers") return type.layers;
  if (key == "D") return s.width;
  if (key == "heads") return s.heads;
  if (key == "kv_heads") return s.kv_heads;
  if (key == "head_dim") return s.head_dim;
  if (key == "head_dim_v") return s.head_dim_v;
  if (key == "window") return or_null(s.reach.window);
  if (key == "chunk") return or_null(s.reach.chunk);
  if (key == "ffn") return s.ffn.dense;
  if (key == "matrices") return s.ffn.gated ? 3 : 2;
  if (key == "experts") return s.ffn.experts;
  if (key == "active") return s.ffn.active_experts;
  if (key == "expert_ffn") return s.ffn.expert;
  if (key == "attends") return s.has_attention;
  if (key == "cross") return s.is_cross;
  if (key == "source") return s.source_width;
  if (key == "encoder") return type.is_encoder;
  if (key == "tower") return type.is_tower;
  if (key == "gate") return s.gate;
  if (key == "kv_rank") return latent.kv_rank;
  if (key == "rope") return latent.rope_dim;
  if (key == "query_rank") return s.query_rank;
  if (key == "output_rank") return s.output_rank;
  if (key == "output_groups") return s.output_groups;
  if (key == "shares_keys") return s.shares_keys;
  if (key == "value_is_key") return s.value_is_key;
  return "no such value: " + key;
}

std::string refusal(const std::string& text) {
  try {
    parse_model_config(text, "m.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// A plain file with some of its members replaced or added.
std::string with(const std::string& members) {
  Json json =
      Json::parse(R"({"hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 4})");
  json.update(Json::parse(members));
  return json.dump();
}

}  // namespace

TEST_CASE("each rule reads its own small file", "[io][model-config]") {
  const Json expected = read_json_file(kOwn + "expected.json");
  for (const auto& [name, model] : expected.items()) {
    DYNAMIC_SECTION(name) {
      const ModelConfig config = read_model_config(kOwn + name + ".json");
      CHECK(config.shape.types.size() == model["rows"].size());
      for (const Json& row : model["rows"]) {
        const LayerType* type = find_type(config, row["name"].get<std::string>());
        CAPTURE(row.dump());
        REQUIRE(type != nullptr);
        for (const auto& [key, value] : row.items()) {
          CAPTURE(key);
          CHECK(value_of(*type, key) == value);
        }
      }
      if (model.contains("vocabulary")) CHECK(config.shape.vocabulary == model["vocabulary"]);
      if (!model.contains("notes")) continue;
      for (const Json& note : model["notes"]) {
        CAPTURE(note.dump());
        CHECK(std::any_of(config.notes.begin(), config.notes.end(), [&](const ConfigNote& one) {
          return name_of(one.kind) == note[0].get<std::string>() && one.key == note[1];
        }));
      }
    }
  }
}

TEST_CASE("no small file lies there without an expectation", "[io][model-config]") {
  const Json expected = read_json_file(kOwn + "expected.json");
  for (const auto& entry : std::filesystem::directory_iterator(kOwn)) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    CHECK((name == "expected" || expected.contains(name)));
  }
}

TEST_CASE("real files give the counts worked out by hand", "[io][model-config]") {
  if (!std::filesystem::exists(kReal + "expected.json")) {
    WARN("skipped: ../shared/data/model-configs is not here");
    return;
  }
  const Json expected = read_json_file(kReal + "expected.json");
  int files = 0;
  for (const auto& [name, model] : expected.items()) {
    if (name == "_rejected") continue;
    CAPTURE(name);
    const ModelConfig config = read_model_config(kReal + name + ".json");
    // The full-attention self-attention layer, of the encoder where there is one.
    const LayerType* type = nullptr;
    for (const LayerType& one : config.shape.types) {
      const bool is_full = one.shape.has_attention && !one.is_tower && !one.shape.is_cross &&
                           !one.shape.reach.window && !one.shape.reach.chunk;
      if (is_full && type == nullptr) type = &one;
    }
    if (type == nullptr) type = &config.shape.types.front();
    const std::int64_t n = model["n"];
    LayerShape shape = type->shape;
    shape.storage = StorageType::kBf16;
    const LayerCost cost = layer_cost(shape, extent_of(shape, n, n));
    CHECK(shape.width == model["D"]);
    CHECK(shape.heads == model["heads"]);
    CHECK(shape.kv_heads == model["kv_heads"]);
    CHECK(shape.head_dim == model["head_dim_qk"]);
    CHECK(shape.head_dim_v == model["head_dim_v"]);
    CHECK(cost.projection_macs.value() == model["proj_macs_per_layer"].get<std::int64_t>());
    CHECK(cost.attention_macs.value() == model["attn_macs_per_layer"].get<std::int64_t>());
    CHECK(cost.kv_cache_bytes_per_token.value() ==
          model["kv_cache_bytes_per_token_per_layer_bf16"].get<std::int64_t>());
    const double ratio = static_cast<double>(*cost.attention_macs.value()) /
                         static_cast<double>(*cost.projection_macs.value());
    CHECK(ratio == Approx(model["ratio"].get<double>()).margin(5e-7));
    if (!shape.reach.window) {
      const LayerGroup group{1, shape};
      const Crossover crossing = crossover({&group, 1}, LinearWork::kProjections);
      REQUIRE(crossing.n.has_value());
      CHECK(*crossing.n == Approx(model["crossover_n"].get<double>()).epsilon(1e-12));
    }
    shape.causal = Causal::kBottomRight;
    CHECK(layer_cost(shape, extent_of(shape, n, n)).attention_macs.value() ==
          model["attn_macs_causal_exact"].get<std::int64_t>());
    if (model.contains("attn_macs_causal_window_layer")) {
      const Json& window = model["attn_macs_causal_window_layer"];
      const LayerType* sliding = find_type(config, "sliding_attention");
      REQUIRE(sliding != nullptr);
      CHECK(sliding->shape.reach.window == window["window"].get<std::int64_t>());
      LayerShape causal = sliding->shape;
      causal.causal = Causal::kTopLeft;
      const LayerCost windowed = layer_cost(causal, extent_of(causal, n, n));
      CHECK(windowed.pairs.value() == window["pairs"].get<std::int64_t>());
      CHECK(windowed.attention_macs.value() == window["macs"].get<std::int64_t>());
    }
    if (model.contains("mla")) {
      const Json& latent = model["mla"];
      REQUIRE(shape.latent.has_value());
      CHECK(shape.query_rank == latent["q_lora"]);
      CHECK(shape.latent->kv_rank == latent["kv_lora"]);
      CHECK(shape.latent->rope_dim == latent["rope"]);
      const auto per_pair = [&](std::int64_t keys) {
        return *absorbed_decode(shape, keys).attention.value();
      };
      CHECK(per_pair(8) - per_pair(7) == latent["absorbed_attn_macs_per_pair"]);
    }
    ++files;
  }
  CHECK(files == 30);
  for (const auto& [name, reason] : expected["_rejected"].items()) {
    CAPTURE(name);
    CHECK_THROWS_WITH(read_model_config(kReal + name + ".json"),
                      Catch::Contains("num_attention_heads") && Catch::Contains("n_head"));
  }
}

TEST_CASE("feed-forward multiply-adds a token of known models", "[io][model-config]") {
  const auto first = [](const std::string& text) {
    return parse_model_config(text, "m.json").shape.types.front().shape;
  };
  const LayerShape llama = first(
      R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "hidden_act": "silu",
          "num_attention_heads": 32, "num_hidden_layers": 32})");
  CHECK(ffn_macs_per_token(llama).value() == 135'266'304);
  const LayerShape mixtral = first(
      R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "hidden_act": "silu",
          "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32,
          "num_local_experts": 8, "num_experts_per_tok": 2})");
  CHECK(ffn_macs_per_token(mixtral).value() == 352'321'536);
  CHECK(ffn_macs_per_token_all_experts(mixtral).value() == 1'409'286'144);
}

TEST_CASE("what is no size is refused by its key", "[io][model-config]") {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"hidden_size": -64})", "hidden_size: -64"},
      {R"({"hidden_size": 0})", "hidden_size: 0"},
      {R"({"hidden_size": 1e400})", "m.json"},
      {R"({"hidden_size": 64.0})", "hidden_size: 64.0 is not a whole number"},
      {R"({"hidden_size": "64"})", "hidden_size: \"64\" is not a whole number"},
      {R"({"hidden_size": true})", "hidden_size: true"},
      {R"({"hidden_size": [64]})", "hidden_size: [64]"},
      {R"({"hidden_size": {}})", "hidden_size: {}"},
      {R"({"hidden_size": 9223372036854775807})", "hidden_size: 9223372036854775807 is out of"},
      {R"({"hidden_size": 18446744073709551615})", "hidden_size: 18446744073709551615 is out of"},
      {R"({"num_hidden_layers": 1000000000})", "num_hidden_layers: 1000000000 is out of range"},
      {R"({"num_hidden_layers": [4]})", "num_hidden_layers: [4]"},
      {R"({"num_attention_heads": 7})", "num_attention_heads: the width 64 does not divide by 7"},
      {R"({"num_attention_heads": [8, 8]})", "num_attention_heads: a list of 2 for 4 layers"},
      {R"({"num_attention_heads": [8, 8, 8, 0]})", "num_attention_heads[3]: 0"},
      {R"({"num_key_value_heads": 3})", "num_key_value_heads: 8 heads do not divide by 3"},
      {R"({"num_key_value_heads": 16})", "num_key_value_heads: 8 heads do not divide by 16"},
      {R"({"n_heads_in_group": 3})", "n_heads_in_group: 8 heads do not divide into groups of 3"},
      {R"({"head_dim": 0})", "head_dim: 0"},
      {R"({"head_dim": "8"})", "head_dim: \"8\""},
      {R"({"v_head_dim": -1})", "v_head_dim: -1"},
      {R"({"intermediate_size": 3.5})", "intermediate_size: 3.5"},
      {R"({"sliding_window": 0})", "sliding_window: 0"},
      {R"({"sliding_window": "all"})", "sliding_window: \"all\""},
      {R"({"use_sliding_window": 1})", "use_sliding_window: 1 is neither true nor false"},
      {R"({"layer_types": ["full_attention"]})", "layer_types: names 1 layers, the model has 4"},
      {R"({"layer_types": ["full_attention", "what", "full", "full"]})", "layer_types: what is no"},
      {R"({"layer_types": [1, 2, 3, 4]})", "layer_types[0]: 1 is not the name"},
      {R"({"layer_types": ["sliding_attention", "full", "full", "full"]})",
       "sliding_window: is missing"},
      {R"({"attn_layer_indices": [4]})", "attn_layer_indices[0]: 4 is out of range"},
      {R"({"kv_lora_rank": 16})", "qk_rope_head_dim: is missing"},
      {R"({"kv_lora_rank": 16, "qk_rope_head_dim": 4})", "qk_nope_head_dim: is missing"},
      {R"({"kv_lora_rank": "16"})", "kv_lora_rank: \"16\""},
      {R"({"num_experts": 4})", "num_experts_per_tok: is missing"},
      {R"({"num_experts": 4, "num_experts_per_tok": 5})", "num_experts_per_tok: 5 are more than"},
      {R"({"num_experts": -1})", "num_experts: -1"},
      {R"({"vocab_size": 0})", "vocab_size: 0"},
      {R"({"block_configs": [{}]})", "block_configs: has 1 blocks for 4 layers"},
      {R"({"vision_config": {"hidden_size": "big"}})", "vision_config.hidden_size: \"big\""},
  };
  for (const auto& [members, message] : cases) {
    CAPTURE(members);
    const std::string text = std::string(members).find("1e400") == std::string::npos
                                 ? with(members)
                                 : R"({"hidden_size": 1e400})";
    CHECK_THAT(refusal(text), Catch::Contains(message) && Catch::Contains("m.json"));
  }
}

TEST_CASE("what is no configuration is refused", "[io][model-config]") {
  CHECK_THAT(refusal(""), Catch::Contains("is empty"));
  CHECK_THAT(refusal("[]"), Catch::Contains("is not an object"));
  CHECK_THAT(refusal("null"), Catch::Contains("is not an object"));
  CHECK_THAT(refusal("{}"), Catch::Contains("hidden_size: is missing"));
  CHECK_THAT(refusal(R"({"hidden_size": 64})"), Catch::Contains("num_attention_heads: is missing"));
  CHECK_THAT(refusal(R"({"hidden_size": 64, "num_attention_heads": 8})"),
             Catch::Contains("num_hidden_layers: is missing"));
  CHECK_THAT(refusal("{\"a\": 1,}"), Catch::Contains("line 1, column 9"));
  CHECK_THAT(refusal(std::string(10'000, '[')), Catch::Contains("deeper than 100 levels"));
  std::string nested;
  for (int i = 0; i < 10'000; ++i) nested += "{\"text_config\":";
  CHECK_THAT(refusal(nested), Catch::Contains("deeper than 100 levels"));
}

TEST_CASE("tables of many labels do not stand in the way", "[io][model-config]") {
  Json labels = Json::object();
  std::string text = R"({"id2label": {)";
  for (int i = 0; i < 20'000; ++i)
    text += (i > 0 ? "," : "") + ("\"" + std::to_string(i)) + "\": {}";
  text += R"(}, "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 4})";
  CHECK(parse_model_config(text, "m.json").shape.types.front().shape.heads == 8);
}

TEST_CASE("more layers than any model has are read in time", "[io][model-config]") {
  const ModelConfig config = parse_model_config(with(R"({"num_hidden_layers": 10000})"), "m.json");
  REQUIRE(config.shape.types.size() == 1);
  CHECK(config.shape.types.front().layers == 10'000);
}

}  // namespace attnlab
