// Sizes, counts, roles, orders and BLAS calls of contractions.
#include "support/catch.h"
#include "tensor/contraction_run.h"

namespace attnlab {
namespace {

Contraction by_sizes(const char* text, const IndexSizes& sizes) {
  return bind_sizes(parse_index_expression(text), sizes);
}
Contraction by_shapes(const char* text, std::vector<Shape> shapes) {
  return bind_shapes(parse_index_expression(text), shapes);
}
BlasCall call_of(const char* text, std::vector<Shape> shapes) {
  const ContractionPlan plan = plan_contraction(by_shapes(text, std::move(shapes)));
  return plan.steps.empty() ? BlasCall::kNone : plan.steps.back().call;
}

TEST_CASE("the lesson's contraction has its shape, elements and multiply-adds", "[contraction]") {
  const Contraction scores =
      by_sizes("bhqd,bhkd->bhqk", {{'b', 1}, {'h', 12}, {'q', 64}, {'d', 64}, {'k', 64}});
  CHECK(scores.result_shape() == Shape{1, 12, 64, 64});
  CHECK(scores.elements == 49'152);
  const ContractionPlan plan = plan_contraction(scores);
  CHECK(plan.macs == 3'145'728);
  CHECK(plan.macs / scores.elements == 64);
  CHECK(plan.additions == 0);
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].call == BlasCall::kBatchedGemm);
  std::string stays, summed;
  for (const ContractionIndex& index : scores.indices) (index.stays ? stays : summed) += index.name;
  CHECK(stays == "bhqk");
  CHECK(summed == "d");
}

TEST_CASE("multiply-adds are those that nested loops count", "[contraction]") {
  std::int64_t counted = 0;
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 3; ++h)
      for (int q = 0; q < 4; ++q)
        for (int k = 0; k < 5; ++k)
          for (int d = 0; d < 6; ++d) ++counted;
  const Contraction scores =
      by_sizes("bhqd,bhkd->bhqk", {{'b', 2}, {'h', 3}, {'q', 4}, {'k', 5}, {'d', 6}});
  CHECK(plan_contraction(scores).macs == counted);
}

TEST_CASE("a step is the call that BLAS has for it", "[contraction]") {
  CHECK(call_of("i,i->", {{4}, {4}}) == BlasCall::kDot);
  CHECK(call_of("ij,ij->", {{4, 3}, {4, 3}}) == BlasCall::kDot);
  CHECK(call_of("ij,j->i", {{4, 3}, {3}}) == BlasCall::kGemv);
  CHECK(call_of("j,ij->i", {{3}, {4, 3}}) == BlasCall::kGemv);
  CHECK(call_of("ij,jk->ik", {{4, 3}, {3, 2}}) == BlasCall::kGemm);
  CHECK(call_of("bnm,mhd->bnhd", {{2, 4, 6}, {6, 2, 3}}) == BlasCall::kGemm);
  CHECK(call_of("bij,bjk->bik", {{2, 4, 3}, {2, 3, 2}}) == BlasCall::kBatchedGemm);
  CHECK(call_of("i,j->ij", {{4}, {3}}) == BlasCall::kNone);
  CHECK(call_of("ij,ij->ij", {{4, 3}, {4, 3}}) == BlasCall::kNone);
  CHECK(call_of("ij->i", {{4, 3}}) == BlasCall::kNone);
  // What only one operand has and nobody wants is summed before.
  CHECK(call_of("ij,jk->j", {{4, 3}, {3, 2}}) == BlasCall::kNone);
}

TEST_CASE("one operand has additions and no multiply-adds", "[contraction]") {
  const ContractionPlan sum = plan_contraction(by_shapes("ij->i", {{4, 3}}));
  CHECK(sum.macs == 0);
  CHECK(sum.additions == 8);
  const ContractionPlan trace = plan_contraction(by_shapes("ii", {{5, 5}}));
  CHECK(trace.additions == 4);
  CHECK(plan_contraction(by_shapes("ij->ji", {{4, 3}})).additions == 0);
}

TEST_CASE("the order of several operands is the one of the fewest multiply-adds", "[contraction]") {
  // (ab)c costs 2*1000*2 + 2*2*1000, a(bc) 1000*2*1000 + 2*1000*1000.
  const ContractionPlan chain =
      plan_contraction(by_shapes("ij,jk,kl->il", {{2, 1000}, {1000, 2}, {2, 1000}}));
  REQUIRE(chain.steps.size() == 2);
  CHECK(chain.macs == 2 * 1000 * 2 + 2 * 2 * 1000);
  CHECK(chain.steps[0].left == 0);
  CHECK(chain.steps[0].right == 1);
  CHECK(chain.steps[1].left == 3);
  CHECK(chain.steps[1].right == 2);
  const ContractionPlan other =
      plan_contraction(by_shapes("ij,jk,kl->il", {{1000, 2}, {2, 1000}, {1000, 2}}));
  CHECK(other.macs == 2 * 1000 * 2 + 1000 * 2 * 2);
  CHECK(other.steps[0].left == 1);
}

TEST_CASE("more operands than are tried in every order are contracted in a good one",
          "[contraction]") {
  std::string text = "ab";
  std::vector<Shape> shapes{{2, 3}};
  std::vector<std::vector<double>> data{std::vector<double>(6, 1)};
  for (char c = 'b'; c < 'o'; ++c) {
    text += std::string(",") + c + static_cast<char>(c + 1);
    shapes.push_back({c == 'b' ? 3 : 2, 2});
    data.emplace_back(static_cast<std::size_t>(shapes.back()[0] * 2), 1.0);
  }
  const Contraction contraction = by_shapes((text + "->ao").c_str(), shapes);
  const ContractionPlan plan = plan_contraction(contraction);
  CHECK(plan.steps.size() == shapes.size() - 1);
  std::vector<const double*> pointers;
  for (const auto& operand : data) pointers.push_back(operand.data());
  std::vector<double> out(4);
  ThreadTeam team(1);
  ContractionRunner<double>(contraction, plan).run(pointers, out.data(), team);
  CHECK(out == std::vector<double>(4, 3.0 * (1 << 12)));
}

TEST_CASE("large contractions have the same bits on any team", "[contraction]") {
  const Contraction contraction = by_shapes("ij,jk->ki", {{700, 33}, {33, 40}});
  std::vector<float> a(700 * 33), b(33 * 40);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 17) / 7;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) / 11;
  const std::vector<const float*> operands{a.data(), b.data()};
  std::vector<float> one(700 * 40), three(700 * 40);
  ThreadTeam single(1), team(3);
  const ContractionPlan plan = plan_contraction(contraction);
  ContractionRunner<float>(contraction, plan).run(operands, one.data(), single);
  ContractionRunner<float>(contraction, plan).run(operands, three.data(), team);
  CHECK(one == three);
  for (const std::int64_t element : {0, 1, 700, 27'999}) {
    const PlainElement plain = plain_element<float>(contraction, operands, element);
    CHECK(one[static_cast<std::size_t>(element)] == Approx(plain.value).epsilon(1e-5));
  }
}

TEST_CASE("sizes that no 64 bits hold are refused at their index", "[contraction]") {
  const std::int64_t big = 1'000'000'000;
  const char* text = "ij,jk->ik";
  try {
    by_sizes(text, {{'i', big}, {'j', big}, {'k', big}});
    FAIL("it was taken");
  } catch (const ExpressionError& error) {
    CHECK(error.position() == 1);  // i * j alone, four bytes each, are too many
  }
  CHECK(by_sizes(text, {{'i', big}, {'j', 1}, {'k', 10}}).elements == 10 * big);
}

TEST_CASE("bad sizes are told at the character that has them", "[contraction]") {
  const auto position = [](const char* text, std::vector<Shape> shapes) {
    try {
      by_shapes(text, std::move(shapes));
    } catch (const ExpressionError& error) {
      return static_cast<int>(error.position());
    }
    return -1;
  };
  CHECK(position("ij,jk->ik", {{2, 3}, {4, 5}}) == 3);
  CHECK(position("ii", {{2, 3}}) == 1);
  CHECK(position("ij", {{2}}) == 1);
  CHECK(position("i,jk", {{2}, {2, 3, 4}}) == 2);
  CHECK(position("i,jk", {{2}}) == 2);
  CHECK(position("i...->i", {{2, 3}}) == 6);
  CHECK(position("...i,...i", {{2, 3}, {4, 3}}) == 5);
  CHECK(position("ij,ij", {{1, 3}, {2, 3}}) == 3);  // a letter has one size
  CHECK(position("...i,...i", {{1, 3}, {4, 3}}) == -1);
}

}  // namespace
}  // namespace attnlab
