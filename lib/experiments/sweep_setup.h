// The inputs of one point of `sweep`, and what can be done with them: run a kernel on them, compute
// chosen rows of the truth. Inputs are standard normal, by Philox from the seed; weights of layers
// are normal with variance 1 / rows, so that what they project keeps its size.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_SETUP_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_SETUP_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attention/kernel.h"
#include "base/check.h"
#include "base/watch.h"
#include "experiments/sweep_settings.h"
#include "machine/thread_team.h"
#include "tensor/view.h"

namespace attnlab {

// A kernel set up on the inputs of a point, with its workspace.
class SweepWork {
 public:
  virtual ~SweepWork() = default;
  // One call: what is timed. A generation gives up when the watch says stopped.
  virtual void run(ThreadTeam& team, const Watch& watch) = 0;
};

// Which arithmetic and inputs rows of a reference are computed with.
enum class Truth {
  kOperator,   // the kernel's operator on the (rounded) inputs in float64
  kTextbook,   // the same in float32 with plain sums
  kBf16Steps,  // the same in steps whose tensors are bf16; of scope attention alone
  kUnrounded,  // full softmax attention of the unrounded inputs in float64
};

inline constexpr std::string_view kPrefillKernel = "flash";

class SweepSetup {
 public:
  virtual ~SweepSetup() = default;

  // Throws RunError when there is no memory.
  virtual std::unique_ptr<SweepWork> prepare(const Kernel& kernel) = 0;
  // What gives the first token of a generation that starts with all of these tokens: they are
  // attended to at once, by kPrefillKernel. Null for other phases. Throws RunError likewise.
  virtual std::unique_ptr<SweepWork> first_token() { return nullptr; }
  // What kernels run on; of scope attention alone.
  virtual Operands operands() const {
    ATTNLAB_CHECK(false);
    return {};
  }
  // The output [batch, heads or 1, queries, width], which all works share.
  virtual View output() const = 0;
  // Rows of the truth [batch, heads or 1, rows, width], row-major.
  virtual std::vector<double> rows(Truth truth, Operator op, std::span<const std::int64_t> rows,
                                   ThreadTeam& team) const = 0;
  // The size of what is averaged, whose last digits no float32 sum can do without: max |v|, for a
  // layer the largest element of the truth.
  virtual double magnitude(std::span<const double> truth) const = 0;
};

std::unique_ptr<SweepSetup> make_attention_setup(const SweepSettings& settings,
                                                 const SweepPoint& point);
std::unique_ptr<SweepSetup> make_layer_setup(const SweepSettings& settings,
                                             const SweepPoint& point);
std::unique_ptr<SweepSetup> make_sweep_setup(const SweepSettings& settings,
                                             const SweepPoint& point);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_SETUP_H_
