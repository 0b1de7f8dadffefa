// Index expressions as text: what is read, and where what is wrong is pointed at.
#include <random>

#include "support/catch.h"
#include "tensor/contraction_plan.h"

namespace attnlab {
namespace {

int position_of(const std::string& text) {
  try {
    parse_index_expression(text);
  } catch (const ExpressionError& error) {
    return static_cast<int>(error.position());
  }
  return -1;
}

TEST_CASE("operands, result and implicit result are read", "[contraction]") {
  const IndexExpression scores = parse_index_expression(" bhqd, bhkd -> bhqk ");
  REQUIRE(scores.operands.size() == 2);
  CHECK(scores.operands[0].letters == "bhqd");
  CHECK(scores.operands[1].letters == "bhkd");
  CHECK(scores.output_letters() == "bhqk");
  CHECK(parse_index_expression("ba").output_letters() == "ab");
  CHECK(parse_index_expression("ij,jk").output_letters() == "ik");
  CHECK(parse_index_expression("bA,Ac").output_letters() == "bc");
  CHECK(parse_index_expression("zZ").output_letters() == "Zz");
  CHECK(parse_index_expression("ii").output_letters().empty());
  CHECK(parse_index_expression("ij->").output_letters().empty());
  CHECK(parse_index_expression("i...j").operands[0].ellipsis == 1);
  CHECK_FALSE(parse_index_expression("ij->...ij").has_ellipsis());
}

TEST_CASE("what is wrong is pointed at", "[contraction]") {
  CHECK(position_of("") == 0);
  CHECK(position_of("   ") == 0);
  CHECK(position_of("ij,j1->i") == 4);
  CHECK(position_of("i j , j ; k") == 8);
  CHECK(position_of("ij,jk->ix") == 8);
  CHECK(position_of("ij,jk->iki") == 9);
  CHECK(position_of("ij->i,j") == 5);
  CHECK(position_of("ij->i->j") == 5);
  CHECK(position_of("ij-i") == 2);
  CHECK(position_of("ij>i") == 2);
  CHECK(position_of("i.j") == 1);
  CHECK(position_of("i..j") == 1);
  CHECK(position_of("...i...") == 4);
  CHECK(position_of("i->...i...") == 7);
  CHECK(position_of("iж") == 1);
  CHECK(position_of("i\n") == 1);
  CHECK(position_of(std::string("i\0j", 3)) == 1);
  CHECK(position_of("->i") == 2);
  CHECK(position_of(std::string(200, ',')) == kMostOperands - 1);
  CHECK(position_of("->") == -1);
  CHECK(position_of(",") == -1);
}

TEST_CASE("whatever the text, it is read or refused at one of its characters", "[contraction]") {
  const std::string alphabet = "abcXYZ,,..->-> \t1\xD0\xB6\xFF\n";
  std::mt19937 bits(1);
  const auto draw = [&](std::size_t count) { return bits() % count; };
  int read = 0, bound = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::size_t length = draw(14); length > 0; --length) {
      const std::size_t piece = draw(8);
      text += piece == 0   ? std::string("->")
              : piece == 1 ? std::string("...")
              : piece < 6  ? std::string(1, "abcij,"[draw(6)])
                           : std::string(1, alphabet[draw(alphabet.size())]);
    }
    try {
      const IndexExpression parsed = parse_index_expression(text);
      ++read;
      std::vector<Shape> shapes;
      for (const Subscripts& operand : parsed.operands) {
        Shape& shape = shapes.emplace_back();
        for (std::size_t axes = operand.letters.size() + draw(3); axes > 0; --axes) {
          shape.push_back(static_cast<std::int64_t>(1 + draw(2)));
        }
      }
      const Contraction contraction = bind_shapes(parsed, shapes);
      ++bound;
      const ContractionPlan plan = plan_contraction(contraction);
      REQUIRE(plan.steps.size() + 1 == parsed.operands.size());
      REQUIRE(contraction.elements >= 1);
    } catch (const ExpressionError& error) {
      REQUIRE(error.position() <= text.size());
    }
  }
  CHECK(read > 1000);
  CHECK(bound > 100);
}

}  // namespace
}  // namespace attnlab
