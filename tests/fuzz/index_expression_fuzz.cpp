// Whatever the text, an expression is read and planned, or refused at one of its characters. The
// first line is the expression, the second the shapes. libFuzzer; start it on
// tests/data/expressions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "tensor/contraction_plan.h"

namespace attnlab {
namespace {

// "2x3,4": whatever is no digit and no comma separates sizes.
std::vector<Shape> shapes_of(const std::string& text) {
  std::vector<Shape> out(1);
  std::int64_t size = 0;
  for (const char c : text + ',') {
    if (c >= '0' && c <= '9') {
      if (size < (std::int64_t{1} << 50)) size = 10 * size + (c - '0');
      continue;
    }
    if (size > 0) out.back().push_back(size);
    size = 0;
    if (c == ',') out.emplace_back();
  }
  out.pop_back();
  return out;
}

void plan(const IndexExpression& expression, const std::vector<Shape>& shapes) {
  const Contraction contraction = bind_shapes(expression, shapes);
  ATTNLAB_CHECK(contraction.elements >= 1);
  ATTNLAB_CHECK(contraction.elements_moved() >= contraction.elements);
  const ContractionPlan steps = plan_contraction(contraction);
  ATTNLAB_CHECK(steps.steps.size() + 1 == shapes.size());
  ATTNLAB_CHECK(steps.macs >= 0 && steps.additions >= 0);
}

}  // namespace
}  // namespace attnlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnlab;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string expression = text.substr(0, line);
  try {
    plan(parse_index_expression(expression), shapes_of(text.substr(line)));
  } catch (const ExpressionError& error) {
    ATTNLAB_CHECK(error.position() <= expression.size());
  }
  return 0;
}
