#include "attention/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"

namespace attnlab {

PreparedKernel::PreparedKernel(const Kernel& kernel, const Problem& problem, int threads)
    : kernel_(&kernel), problem_(problem), threads_(threads) {
  std::string why_not;
  if (!kernel.supports(problem, &why_not)) {
    throw UserError(fmt::format("kernel {}", kernel.name), why_not);
  }
  workspace_ = AlignedBuffer(kernel.workspace(problem, threads));
  // What a stage that is left out would have written is zeros, not whatever the memory held.
  if (!problem.left_out.empty()) std::ranges::fill(workspace_.span(), std::byte{0});
  if (kernel.prepare) kernel.prepare(problem, workspace_.span(), threads);
}

void PreparedKernel::run(const Operands& operands, ThreadTeam& team) const {
  const std::string error = operand_error(problem_, operands);
  if (!error.empty()) throw UserError(fmt::format("kernel {}", kernel_->name), error);
  ATTNLAB_CHECK(team.threads() == threads_);
  kernel_->run(problem_, operands, workspace_.span(), team);
}

}  // namespace attnlab
