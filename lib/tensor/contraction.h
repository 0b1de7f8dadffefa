// A contraction: an index expression whose indices have sizes.
//   result(stays) = sum over the summed indices of the product of the operands' elements
// An index that the result lacks is summed, every other one stays. Letters have one size wherever
// they stand; what "..." stands for is matched from the last axis on, and an axis of size 1 among
// them serves all (NumPy's broadcasting). Sizes are at least 1.
#ifndef ATTNLAB_TENSOR_CONTRACTION_H_
#define ATTNLAB_TENSOR_CONTRACTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/index_expression.h"

namespace attnlab {

struct ContractionIndex {
  std::string name;  // "b", or "...0" for the first axis that "..." stands for
  std::int64_t size = 1;
  bool stays = true;         // false: summed
  std::size_t position = 0;  // in the expression's text, where it stands first
};

struct Contraction {
  // Which index an axis of an operand has; kShared for one of size 1 that serves all.
  static constexpr int kShared = -1;

  std::vector<ContractionIndex> indices;   // in the order in which they stand first
  std::vector<std::vector<int>> operands;  // the index of every axis
  std::vector<int> output;

  std::int64_t elements = 1;  // of the result
  std::vector<std::int64_t> result_shape() const;
  std::vector<std::int64_t> shape(std::size_t operand) const;
  std::int64_t size(std::size_t operand) const;  // in elements
  // Elements of all operands and of the result: each is read or written once.
  std::int64_t elements_moved() const;
};

using IndexSizes = std::vector<std::pair<char, std::int64_t>>;
using Shape = std::vector<std::int64_t>;

// Both throw ExpressionError: an index without a size, sizes that differ, "..." where it cannot be
// told what it stands for, more axes than an operand's shape has, counts of 2^63 and more.
Contraction bind_sizes(const IndexExpression& expression, const IndexSizes& sizes);
Contraction bind_shapes(const IndexExpression& expression, std::span<const Shape> shapes);

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_CONTRACTION_H_
