#include "tensor/view.h"

namespace attnlab {

Index4 row_major_strides(const Index4& shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

std::int64_t element_count(const Index4& shape) {
  return shape[0] * shape[1] * shape[2] * shape[3];
}

}  // namespace attnlab
