// A kernel: one way to compute one operator on one instruction set, with what must be known about
// it before it runs. registry.h lists them all.
#ifndef ATTNLAB_ATTENTION_KERNEL_H_
#define ATTNLAB_ATTENTION_KERNEL_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "attention/operands.h"
#include "attention/problem.h"
#include "attention/stages.h"
#include "machine/isa.h"
#include "machine/thread_team.h"
#include "tensor/buffer.h"

namespace attnlab {

struct Kernel {
  std::string_view name;
  Isa isa;
  Operator op;
  std::string_view summary;      // one line for `list`
  std::string_view source;       // paper and section
  std::string_view memory = "";  // its workspace in words, for `describe`
  StageSet stages{};             // that Problem::left_out may name
  Dtype products = Dtype::kF32;  // what factors are rounded to: such a kernel reads bf16, or f32
                                 // where fpmath allows it

  // Whether this kernel can run the problem; if not, *why_not says so in a few words (why_not may
  // be null). The four functions below need a problem that it can run.
  std::function<bool(const Problem&, std::string* why_not)> supports = nullptr;

  // Bytes of workspace for a team of that many threads: a formula of shape and team alone.
  std::function<std::int64_t(const Problem&, int threads)> workspace = nullptr;

  // Fills what of the workspace depends on the problem alone, such as random directions: once,
  // before the first run() with that workspace; run() does not change it. Null where there is none.
  std::function<void(const Problem&, std::span<std::byte> workspace, int threads)> prepare =
      nullptr;

  // Computes o. Neither throws nor allocates. workspace has at least workspace(problem, threads)
  // bytes at an address that is a multiple of kBufferAlignment, for the threads of `team`; nothing
  // but what prepare() wrote is kept in it between runs. The result's bits do not depend on team.
  std::function<void(const Problem&, const Operands&, std::span<std::byte> workspace,
                     ThreadTeam& team)>
      run = nullptr;

  // Exact multiply-adds of the operator and bytes of its operands, from the shape alone.
  std::int64_t macs(const Problem& problem) const { return multiply_adds(problem, op).value(); }
  std::int64_t bytes(const Problem& problem) const { return operand_bytes(problem).value(); }
};

// A kernel set up for one problem: owns the workspace, run as often as wanted.
class PreparedKernel {
 public:
  // Throws UserError when the kernel does not support the problem, RunError when there is no memory
  // for its workspace. The kernel must outlive this.
  PreparedKernel(const Kernel& kernel, const Problem& problem, int threads);

  const Kernel& kernel() const { return *kernel_; }
  const Problem& problem() const { return problem_; }
  std::int64_t workspace_bytes() const { return workspace_.bytes(); }

  // Throws UserError when the operands do not fit the problem, before anything is computed. The
  // team has the number of threads given above.
  void run(const Operands& operands, ThreadTeam& team) const;

 private:
  const Kernel* kernel_;
  Problem problem_;
  int threads_;
  AlignedBuffer workspace_;
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KERNEL_H_
