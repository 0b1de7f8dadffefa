// Dense attention by its definition, in float64: plain.h has the arithmetic.
// Vaswani et al., Attention Is All You Need, 2017, section 3.2.1; the maximum of a row is
// subtracted first.
#include "attention/kernels/add_kernels.h"
#include "attention/kernels/plain_kernel.h"

namespace attnlab {

void add_reference_kernels(std::vector<Kernel>& out) {
  out.push_back(plain_kernel<double>(
      "reference", "float64, row by row, as the formula reads: the truth for the others"));
}

}  // namespace attnlab
