// Contractions against what numpy.einsum made of them: tests/data/tensor/einsum.json, written by
// scripts/oracle/einsum.py. All numbers are small and whole: results are equal, not near.
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "tensor/contraction_run.h"

namespace attnlab {
namespace {

using Json = nlohmann::json;

Json oracle() {
  std::ifstream file(ATTNLAB_TEST_DATA "/tensor/einsum.json");
  REQUIRE(file);
  return Json::parse(file);
}

template <class T>
std::vector<double> by_blas(const Contraction& contraction,
                            const std::vector<std::vector<T>>& operands, int threads) {
  std::vector<const T*> pointers;
  for (const auto& operand : operands) pointers.push_back(operand.data());
  std::vector<T> out(static_cast<std::size_t>(contraction.elements),
                     std::numeric_limits<T>::quiet_NaN());
  ThreadTeam team(threads);
  ContractionRunner<T> runner(contraction, plan_contraction(contraction));
  runner.run(pointers, out.data(), team);
  runner.run(pointers, out.data(), team);  // nothing of the first run is left
  return {out.begin(), out.end()};
}

template <class T>
void check_case(const Json& one) {
  const auto shapes = one["shapes"].get<std::vector<Shape>>();
  const Contraction contraction =
      bind_shapes(parse_index_expression(one["expression"].get<std::string>()), shapes);
  CHECK(contraction.result_shape() == one["result_shape"].get<Shape>());
  std::vector<std::vector<T>> operands;
  std::vector<const T*> pointers;
  for (const Json& operand : one["operands"]) operands.push_back(operand.get<std::vector<T>>());
  for (const auto& operand : operands) pointers.push_back(operand.data());
  for (std::size_t o = 0; o < operands.size(); ++o) {
    CHECK(contraction.size(o) == std::ssize(operands[o]));
  }
  const auto expected = one["result"].get<std::vector<double>>();
  CHECK(plain_contraction<T>(contraction, pointers) == expected);
  CHECK(by_blas(contraction, operands, 1) == expected);
  CHECK(by_blas(contraction, operands, 3) == expected);
}

TEST_CASE("contractions have the shape and the numbers that numpy.einsum gives", "[contraction]") {
  const Json file = oracle();
  CHECK(file["cases"].size() >= 50);
  for (const Json& one : file["cases"]) {
    INFO(one["expression"]);
    check_case<double>(one);
    check_case<float>(one);
  }
}

TEST_CASE("expressions that numpy.einsum refuses are refused, at a character", "[contraction]") {
  const Json document = oracle();
  for (const Json& one : document["refused"]) {
    const auto text = one["expression"].get<std::string>();
    INFO(text);
    try {
      const IndexExpression parsed = parse_index_expression(text);
      bind_shapes(parsed, one["shapes"].get<std::vector<Shape>>());
      FAIL("it was taken");
    } catch (const ExpressionError& error) {
      CHECK(error.position() <= text.size());
      CHECK(std::string(error.what()) != "");
    }
  }
}

}  // namespace
}  // namespace attnlab
