// What the benchmarks of the fused kernel share: operands, times, and goals beside their figures.
#ifndef ATTNLAB_TESTS_ATTENTION_BENCH_BENCH_SUPPORT_H_
#define ATTNLAB_TESTS_ATTENTION_BENCH_BENCH_SUPPORT_H_

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "random/fill.h"
#include "support/goals.h"

namespace attnlab {

// A kernel on random operands of one sequence, ready to run on a team.
class Run {
 public:
  Run(const Kernel& kernel, std::int64_t heads, std::int64_t n, std::int64_t d, Causal causal,
      ThreadTeam& team, Dtype dtype = Dtype::kF32)
      : problem_(self_attention(1, heads, n, d)), team_(team), q_(size(heads, n, d)) {
    problem_.causal = causal;
    problem_.dtype = dtype;
    k_ = v_ = o_ = q_;
    std::uint64_t stream = 0;
    for (std::vector<float>* const tensor : {&q_, &k_, &v_}) {
      fill_random(*tensor, {.seed = 1, .stream = stream++});
      if (dtype == Dtype::kF32) continue;
      // In place: an element of a half type is stored no later than it is read.
      for (std::size_t i = 0; i < tensor->size(); ++i) {
        store_element(tensor->data(), dtype, static_cast<std::int64_t>(i), (*tensor)[i]);
      }
    }
    prepared_ = std::make_unique<PreparedKernel>(kernel, problem_, team.threads());
    call();
  }

  void call() {
    const Index4 shape{1, problem_.heads, problem_.nq, problem_.head_dim};
    const auto view = [&](const std::vector<float>& tensor) {
      return ConstView(reinterpret_cast<const std::byte*>(tensor.data()), problem_.dtype, shape,
                       row_major_strides(shape));
    };
    prepared_->run({.q = view(q_), .k = view(k_), .v = view(v_), .o = View(o_.data(), shape)},
                   team_);
  }

  // Seconds of a call, of as many as last `least` seconds.
  double seconds(double least) {
    const double begin = now();
    int calls = 0;
    do {
      call();
      ++calls;
    } while (now() - begin < least);
    return (now() - begin) / calls;
  }

  const Problem& problem() const { return problem_; }
  double flops() const {
    return 2.0 * static_cast<double>(prepared_->kernel().macs(prepared_->problem()));
  }

 private:
  static std::size_t size(std::int64_t heads, std::int64_t n, std::int64_t d) {
    return static_cast<std::size_t>(heads * n * d);
  }

  Problem problem_;
  ThreadTeam& team_;
  std::vector<float> q_, k_, v_, o_;
  std::unique_ptr<PreparedKernel> prepared_;
};

// Median over samples of the time of `other` over that of `own`, each timed right beside the other.
inline double time_ratio(Run& other, Run& own, int samples, double sample_seconds) {
  std::vector<double> ratios;
  for (int i = 0; i < samples; ++i) {
    const bool own_first = i % 2 == 0;
    const double first = (own_first ? own : other).seconds(sample_seconds);
    const double second = (own_first ? other : own).seconds(sample_seconds);
    ratios.push_back(own_first ? second / first : first / second);
  }
  return median_of(ratios);
}

// The kernel of that name, on the instruction set argv[2] where there is one; null with a message
// when this machine has none such.
inline const Kernel* kernel_argument(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "flash";
  const auto isa = argc > 2 ? isa_from_name(argv[2]) : std::nullopt;
  const Kernel* const kernel = argc > 2 && !isa ? nullptr
                               : isa            ? find_kernel(name, *isa)
                                                : find_kernel(name);
  if (kernel == nullptr) std::fprintf(stderr, "%s: no such kernel on this machine\n", argv[0]);
  return kernel;
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_ATTENTION_BENCH_BENCH_SUPPORT_H_
