// From what a user writes to a contraction: the expression, sizes of indices ("b=1,h=12") or shapes
// of operands ("1x12x64x64,1x12x64x64"). What is wrong is told with the text below it and a caret
// under the character that is wrong.
#ifndef ATTNLAB_EXPERIMENTS_CONTRACT_REQUEST_H_
#define ATTNLAB_EXPERIMENTS_CONTRACT_REQUEST_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/contraction_plan.h"

namespace attnlab {

struct ContractRequest {
  std::string expression;
  std::string sizes, shapes;  // one of the two, or neither
  bool by_shapes = false;
};

// The text with a caret below its byte `position`, each line after a line break and four spaces;
// long texts are cut around it.
std::string caret_below(const std::string& text, std::size_t position);

// No value when there are mistakes, which are added with their places below `place`.
std::optional<Contraction> read_contraction(const ContractRequest& request,
                                            const std::string& place,
                                            std::vector<Mistake>& mistakes);

// "b=1 h=12 q=64 d=64 k=64"
std::string sizes_text(const Contraction& contraction);
// The indices by their names: "bhqk"; "scalar" for none.
std::string indices_text(const Contraction& contraction, const std::vector<int>& indices);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_CONTRACT_REQUEST_H_
