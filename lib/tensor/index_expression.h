// The text of a contraction in index notation (Einstein's summation, as numpy.einsum writes it):
//   bhqd,bhkd->bhqk    two operands, their indices, and the indices of the result
//   ij,jk              without an arrow the result has the indices that occur once, in order
//   ii->i  ii          an index twice in one operand: the diagonal, its sum
//   ...ij,...jk        "..." stands for the axes that are not named, matched from the last one on
// Spaces may stand between all of these. What sizes the indices have is contraction.h's.
#ifndef ATTNLAB_TENSOR_INDEX_EXPRESSION_H_
#define ATTNLAB_TENSOR_INDEX_EXPRESSION_H_

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnlab {

// What is wrong with an expression, and at which byte of its text.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t position, const std::string& problem, std::string remedy)
      : std::runtime_error(problem), position_(position), remedy_(std::move(remedy)) {}
  std::size_t position() const { return position_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::size_t position_;
  std::string remedy_;
};

// The indices of one operand or of the result.
struct Subscripts {
  std::string letters;                  // without "..."
  std::vector<std::size_t> positions;   // of each letter in the text
  std::optional<std::size_t> ellipsis;  // how many letters stand before "..."
  std::size_t ellipsis_position = 0;    // of its first point
  std::size_t begin = 0, end = 0;       // of the whole in the text
};

struct IndexExpression {
  std::string text;
  std::vector<Subscripts> operands;  // at least one
  std::optional<Subscripts> output;  // absent: implicit

  bool has_ellipsis() const;  // in any operand
  // The letters of the result: as written, or those that occur once, in ASCII order.
  std::string output_letters() const;
  // How many of them stand before what "..." stands for.
  std::size_t output_ellipsis() const;
};

inline constexpr std::size_t kMostOperands = 64;

// Throws ExpressionError for a text that is none: unknown characters, two "..." in one operand, an
// index twice in the result or in the result alone, too many operands.
IndexExpression parse_index_expression(std::string_view text);

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_INDEX_EXPRESSION_H_
