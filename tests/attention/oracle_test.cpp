// Reference and kernels against values that NumPy computed once: tests/data/attention/oracle.json,
// made by scripts/oracle/attention.py.
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "attention/layer.h"
#include "attention/plain.h"
#include "attention/reference.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

using Json = nlohmann::json;

Json oracle() {
  std::ifstream file(ATTNLAB_TEST_DATA "/attention/oracle.json");
  REQUIRE(file);
  return Json::parse(file);
}

Operator operator_from(const std::string& name) {
  for (const Operator op : kOperators) {
    if (operator_name(op) == name) return op;
  }
  FAIL("unknown operator " << name);
  return Operator::kDense;
}

Problem problem_from(const Json& json) {
  Problem p;
  p.batch = json["batch"];
  p.heads = json["heads"];
  p.kv_heads = json["kv_heads"];
  p.nq = json["nq"];
  p.nk = json["nk"];
  p.head_dim = json["head_dim"];
  p.head_dim_v = json["head_dim_v"];
  const auto causal_names = choice_names(Causal{});
  const auto causal =
      std::find(causal_names.begin(), causal_names.end(), json["causal"].get<std::string>());
  REQUIRE(causal != causal_names.end());
  p.causal = static_cast<Causal>(causal - causal_names.begin());
  p.scale = json["scale"].get<double>();
  p.temperature = json["temperature"];
  p.window = json.value("window", std::int64_t{256});
  p.global_tokens = json.value("global_tokens", std::int64_t{0});
  p.stride = json.value("stride", std::int64_t{0});
  p.features = json.value("features", std::int64_t{256});
  const std::string mask = json.value("mask", "none");
  if (mask == "additive") p.mask = {MaskKind::kAdditive, true, true, true};
  if (mask == "boolean") p.mask = {MaskKind::kBoolean, true, true, true};
  if (mask == "keys") p.mask = {MaskKind::kBoolean, true, false, false};
  return p;
}

void fill(GuardedTensor& tensor, const Json& values) {
  REQUIRE(static_cast<std::int64_t>(values.size()) == element_count(tensor.view().shape));
  tensor.fill([&](std::int64_t i) { return values[static_cast<std::size_t>(i)].get<double>(); });
}

Case case_from(const Json& json) {
  Case c(problem_from(json));
  fill(c.q, json["q"]);
  fill(c.k, json["k"]);
  fill(c.v, json["v"]);
  if (!json.contains("mask_values")) return c;
  const Json& values = json["mask_values"];
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (c.mask.kind == MaskKind::kBoolean) {
      c.mask_memory.as<std::uint8_t>()[i] = values[i].get<std::uint8_t>();
    } else {
      c.mask_memory.as<float>()[i] =
          values[i].is_null() ? -std::numeric_limits<float>::infinity() : values[i].get<float>();
    }
  }
  return c;
}

// The plain evaluation in T with directions of the oracle's.
template <class T>
std::vector<T> evaluated(const Case& c, Operator op, const std::vector<float>& directions) {
  ThreadTeam team(1);
  std::vector<T> out(static_cast<std::size_t>(element_count(c.o.view().shape)));
  const AlignedBuffer scratch(plain_scratch_bytes<T>(c.problem, op));
  Operands operands = c.operands();
  operands.o = View(out.data(), c.o.view().shape);
  plain_evaluation<T>(c.problem, op, operands, {nullptr, c.problem.nq}, directions.data(),
                      scratch.data(), team);
  return out;
}

}  // namespace

TEST_CASE("reference and kernels agree with NumPy", "[attention]") {
  ThreadTeam team(2);
  const Json data = oracle();
  CHECK(data["attention"].size() == 21);
  for (const Json& json : data["attention"]) {
    INFO(json["name"].get<std::string>());
    const Operator op = operator_from(json["operator"]);
    const Case c = case_from(json);
    Expected expected{
        .values = json["out"].get<std::vector<double>>(), .view = {}, .textbook_error = 0};
    expected.view = ConstView(expected.values.data(), c.o.view().shape);
    const auto directions = json.value("directions", std::vector<float>());
    const auto reference = evaluated<double>(c, op, directions);
    const auto textbook = evaluated<float>(c, op, directions);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      CHECK(std::abs(reference[i] - expected.values[i]) < 1e-14);
      expected.textbook_error =
          std::max(expected.textbook_error, std::abs(textbook[i] - expected.values[i]));
    }
    CHECK(expected.textbook_error < 2e-6);
    if (!directions.empty()) continue;  // kernels draw their own
    for (const Kernel* kernel : runnable_kernels()) {
      if (kernel->op != op || kernel->products != Dtype::kF32) continue;
      INFO(label(*kernel));
      CHECK(run_and_compare(*kernel, c, expected, team) == "");
    }
  }
}

TEST_CASE("layers agree with NumPy", "[attention]") {
  ThreadTeam team(2);
  const Json data = oracle();
  CHECK(data["layers"].size() == 2);
  for (const Json& json : data["layers"]) {
    INFO(json["name"].get<std::string>());
    const LayerProblem shape{problem_from(json), json["d_model"], json["ffn"]};
    std::map<std::string, std::vector<float>> w;
    for (const char* name : {"w_q", "w_k", "w_v", "w_o", "norm1_gain", "norm1_bias", "norm2_gain",
                             "norm2_bias", "w_1", "b_1", "w_2", "b_2", "x"}) {
      w[name] = json[name].get<std::vector<float>>();
    }
    const LayerWeights weights{
        w["w_q"].data(),        w["w_k"].data(),        w["w_v"].data(),
        w["w_o"].data(),        w["norm1_gain"].data(), w["norm1_bias"].data(),
        w["norm2_gain"].data(), w["norm2_bias"].data(), w["w_1"].data(),
        w["b_1"].data(),        w["w_2"].data(),        w["b_2"].data()};
    const auto expected = json["out"].get<std::vector<double>>();
    const float* const x = w["x"].data();
    std::vector<double> truth(expected.size());
    reference_layer_rows(shape, Operator::kDense, weights, x, x, all_rows(shape.attention),
                         truth.data(), team);
    std::vector<float> out(expected.size());
    Layer(*find_kernel("flash"), shape, 2).run(weights, x, x, out.data(), team);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(std::abs(truth[i] - expected[i]) < 1e-13);
      CHECK(std::abs(out[i] - expected[i]) < 3e-6);
    }
  }
}

}  // namespace attnlab::test
