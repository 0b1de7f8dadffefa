// A build of attnlab in which flash takes a tenth longer, to see that `compare` finds it: after
// each call its first queries, one in eleven, are computed once more, which for few queries costs a
// tenth. Linked with --wrap, so that every caller of PreparedKernel::run() gets this one.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "attention/kernel.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

// Memory that the sweep's count of a kernel's workspace does not see.
std::span<std::byte> hidden_workspace(std::size_t bytes) {
  static std::vector<std::byte> memory;
  if (memory.size() < bytes + kBufferAlignment) memory.resize(bytes + kBufferAlignment);
  void* start = memory.data();
  std::size_t room = memory.size();
  return {static_cast<std::byte*>(std::align(kBufferAlignment, bytes, start, room)), bytes};
}

}  // namespace

extern "C" {
void real_run(const PreparedKernel*, const Operands&, ThreadTeam&) __asm__(
    "__real__ZNK7attnlab14PreparedKernel3runERKNS_8OperandsERNS_10ThreadTeamE");
void slower_run(const PreparedKernel*, const Operands&, ThreadTeam&) __asm__(
    "__wrap__ZNK7attnlab14PreparedKernel3runERKNS_8OperandsERNS_10ThreadTeamE");

void slower_run(const PreparedKernel* prepared, const Operands& operands, ThreadTeam& team) {
  real_run(prepared, operands, team);
  const Kernel& kernel = prepared->kernel();
  Problem few = prepared->problem();
  few.nq /= 11;
  if (kernel.name != "flash" || few.nq == 0) return;
  Operands part = operands;
  part.q = operands.q.rows(0, few.nq);
  part.o = operands.o.rows(0, few.nq);
  const auto bytes = static_cast<std::size_t>(kernel.workspace(few, team.threads()));
  kernel.run(few, part, hidden_workspace(bytes), team);
}
}

}  // namespace attnlab
