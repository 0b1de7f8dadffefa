// A kernel on a cache of n random keys and values of some dtype, one query a head and sequence.
#ifndef ATTNLAB_TESTS_ATTENTION_BENCH_DECODE_RUN_H_
#define ATTNLAB_TESTS_ATTENTION_BENCH_DECODE_RUN_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "attention/attention.h"
#include "bench_support.h"
#include "random/fill.h"
#include "tensor/buffer.h"

namespace attnlab {

inline Problem decode_problem(std::int64_t heads, std::int64_t kv_heads, std::int64_t n,
                              std::int64_t d, Dtype dtype, std::int64_t batch = 1) {
  Problem p = self_attention(batch, heads, n, d);
  p.kv_heads = kv_heads;
  p.nq = 1;
  p.dtype = dtype;
  return p;
}

class DecodeRun {
 public:
  DecodeRun(const Kernel& kernel, const Problem& problem, ThreadTeam& team)
      : problem_(problem), team_(team) {
    const Problem& p = problem_;
    const Dtype q_dtype = p.dtype == Dtype::kInt8 ? Dtype::kF32 : p.dtype;
    const Index4 q_shape{p.batch, p.heads, 1, p.head_dim};
    const Index4 cache_shape{p.batch, p.kv_heads, p.nk, p.head_dim};
    operands_.q = random(q_shape, q_dtype, 0).view;
    const Tensor k = random(cache_shape, p.dtype, 1), v = random(cache_shape, p.dtype, 2);
    operands_.k = k.view;
    operands_.v = v.view;
    operands_.k_scales = k.scales;
    operands_.v_scales = v.scales;
    buffers_.emplace_back(element_count(q_shape) * 4);
    operands_.o = View(buffers_.back().as<float>(), q_shape);
    prepared_ = std::make_unique<PreparedKernel>(kernel, p, team.threads());
    call();
  }

  void call() { prepared_->run(operands_, team_); }
  const Problem& problem() const { return problem_; }
  const Operands& operands() const { return operands_; }

  // Seconds of a call of body, of as many as last `least` seconds.
  template <class Body>
  static double seconds(Body&& body, double least) {
    const double begin = now();
    int calls = 0;
    do {
      body();
      ++calls;
    } while (now() - begin < least);
    return (now() - begin) / calls;
  }
  double seconds(double least) {
    return seconds([this] { call(); }, least);
  }

 private:
  struct Tensor {
    ConstView view;
    RowScales scales;
  };

  // Speed does not depend on the numbers: those of the first 4096 rows are repeated.
  Tensor random(const Index4& shape, Dtype dtype, std::uint64_t stream) {
    const std::int64_t d = shape[3], rows = element_count(shape) / d;
    const std::int64_t drawn = std::min<std::int64_t>(rows, 4096),
                       row_bytes = d * dtype_bytes(dtype);
    std::vector<float> numbers(static_cast<std::size_t>(drawn * d));
    fill_random(numbers, {.seed = 1, .stream = stream});
    std::byte* const data = buffers_.emplace_back(rows * row_bytes).data();
    const bool scaled = dtype == Dtype::kInt8;
    float* const scales = buffers_.emplace_back(scaled ? rows * 4 : 0).as<float>();
    for (std::int64_t i = 0; i < rows; ++i) {
      std::byte* const row = data + i * row_bytes;
      if (i >= drawn) {
        std::memcpy(row, row - drawn * row_bytes, static_cast<std::size_t>(row_bytes));
        if (scaled) scales[i] = scales[i - drawn];
        continue;
      }
      const float* const source = numbers.data() + i * d;
      if (scaled) {
        scales[i] = quantize_row(source, d, reinterpret_cast<std::int8_t*>(row));
        continue;
      }
      for (std::int64_t c = 0; c < d; ++c) store_element(row, dtype, c, source[c]);
    }
    return {ConstView(data, dtype, shape, row_major_strides(shape)),
            scaled ? row_scales(scales, shape) : RowScales()};
  }

  Problem problem_;
  ThreadTeam& team_;
  std::vector<AlignedBuffer> buffers_;
  Operands operands_;
  std::unique_ptr<PreparedKernel> prepared_;
};

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_ATTENTION_BENCH_DECODE_RUN_H_
