// A problem with random operands in guarded memory, what its output should be, and the check that
// every kernel has to pass.
#ifndef ATTNLAB_TESTS_ATTENTION_SUPPORT_CASE_H_
#define ATTNLAB_TESTS_ATTENTION_SUPPORT_CASE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "attention/kernel.h"
#include "support/guarded_memory.h"

namespace attnlab::test {

// Standard normal numbers, a function of seed and index.
double normal(std::uint64_t seed, std::int64_t index);

// How a tensor lies in memory: [b, h, n, d] or [b, n, h, d] without gaps, or [b, h, n, d] with gaps
// between rows and between heads.
enum class Layout { kBhnd, kBnhd, kGaps };

// A tensor of its own in guarded memory; every byte is 0xFF at first, a NaN in each dtype. Rows of
// int8 have their scales in guarded memory of their own, and are set as a whole.
class GuardedTensor {
 public:
  GuardedTensor(const Index4& shape, Dtype dtype, Layout layout);
  const View& view() const { return view_; }
  void fill(const std::function<double(std::int64_t index)>& value);  // row-major index
  void set(const Index4& at, double value);                           // not of int8
  void set_row(const Index4& first, const std::function<double(std::int64_t channel)>& value);
  RowScales scales() const { return scales_; }
  void set_scale(const Index4& first, float scale);  // of int8; nothing for others
  bool intact() const;                               // guards and gaps hold what they held

 private:
  GuardedMemory memory_, scale_memory_;
  View view_;
  RowScales scales_;
};

struct Case {
  explicit Case(const Problem& problem, Layout layout = Layout::kBhnd, std::uint64_t seed = 1,
                double deviation = 1);
  // Fills k or v at key j of every head with one value.
  void set_key(GuardedTensor& tensor, std::int64_t j, double value);
  Operands operands() const {
    return {q.view(), k.view(), v.view(), o.view(), mask, k.scales(), v.scales()};
  }

  Problem problem;
  GuardedTensor q, k, v, o;
  GuardedMemory mask_memory;
  MaskView mask;
};

// The reference's output in float64 [B, Hq, Nq, Dv], and the largest error of the textbook, or of
// three steps in bf16 for kernels with products of it.
struct Expected {
  std::vector<double> values;
  ConstView view;
  double textbook_error;
};
Expected expected_output(const Case& c, Operator op, Dtype products = Dtype::kF32);

// Every kernel that runs here, and flash with the plain arithmetic that stands for a processor's
// bf16 instructions: the same code but for those.
const std::vector<const Kernel*>& tested_kernels();

// Runs the kernel in a guarded workspace on an output of NaNs. Returns what is wrong with the
// result, empty if nothing is: error_ratio above `allowed`, a guard or gap overwritten.
std::string run_and_compare(const Kernel& kernel, const Case& c, const Expected& expected,
                            ThreadTeam& team, double allowed = 2);

// The output's elements after a run on NaNs in a guarded workspace, row-major; empty if bytes
// before the workspace were written.
std::vector<float> run(const Kernel& kernel, const Case& c, ThreadTeam& team);

bool same_bits(const std::vector<float>& a, const std::vector<float>& b);

std::string describe(const Problem& problem);
std::string label(const Kernel& kernel);  // flash/avx2, flash/avx2 plain bf16

// Rows 0 .. nq - 1.
std::vector<std::int64_t> all_rows(const Problem& problem);

}  // namespace attnlab::test

#endif  // ATTNLAB_TESTS_ATTENTION_SUPPORT_CASE_H_
