// Dense attention by its definition, in float32 with plain sums: plain.h has the arithmetic.
// Vaswani et al., Attention Is All You Need, 2017, section 3.2.1; the maximum of a row is
// subtracted first.
#include "attention/kernels/add_kernels.h"
#include "attention/kernels/plain_kernel.h"

namespace attnlab {

void add_textbook_kernels(std::vector<Kernel>& out) {
  out.push_back(plain_kernel<float>("textbook",
                                    "plain float32 loops, row by row: what rounding alone costs"));
}

}  // namespace attnlab
