// Scope attention: a kernel on random q, k and v, in one call or token by token.
//   q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
#include <algorithm>
#include <cmath>

#include "attention/attention.h"
#include "experiments/sweep_setup.h"
#include "random/fill.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

// A random tensor, unrounded and in the dtype that kernels read.
class Tensor {
 public:
  Tensor(const Index4& shape, Dtype dtype, std::uint64_t seed, std::uint64_t stream)
      : shape_(shape), exact_(element_count(shape) * 4) {
    const std::int64_t count = element_count(shape);
    const std::span<float> numbers(exact_.as<float>(), static_cast<std::size_t>(count));
    fill_random(numbers, {.seed = seed, .stream = stream});
    if (dtype == Dtype::kInt8) {
      quantize(numbers);
    } else if (dtype != Dtype::kF32) {
      rounded_ = AlignedBuffer(count * dtype_bytes(dtype));
      for (std::int64_t i = 0; i < count; ++i) {
        store_element(rounded_.data(), dtype, i, numbers[static_cast<std::size_t>(i)]);
      }
    }
    dtype_ = dtype;
  }
  ConstView exact() const {
    return {exact_.data(), Dtype::kF32, shape_, row_major_strides(shape_)};
  }
  ConstView read() const {
    if (dtype_ == Dtype::kF32) return exact();
    return {rounded_.data(), dtype_, shape_, row_major_strides(shape_)};
  }
  RowScales scales() const {
    return dtype_ == Dtype::kInt8 ? row_scales(scales_.as<float>(), shape_) : RowScales();
  }

 private:
  void quantize(std::span<const float> numbers) {
    const std::int64_t size = shape_[3], rows = std::ssize(numbers) / size;
    rounded_ = AlignedBuffer(rows * size);
    scales_ = AlignedBuffer(rows * 4);
    for (std::int64_t i = 0; i < rows; ++i) {
      scales_.as<float>()[i] =
          quantize_row(numbers.data() + i * size, size, rounded_.as<std::int8_t>() + i * size);
    }
  }

  Index4 shape_;
  AlignedBuffer exact_, rounded_, scales_;
  Dtype dtype_ = Dtype::kF32;
};

class OneCall : public SweepWork {
 public:
  OneCall(const Kernel& kernel, const Problem& problem, const Operands& operands, int threads)
      : kernel_(kernel, problem, threads), operands_(operands) {}
  void run(ThreadTeam& team, const Watch&) override { kernel_.run(operands_, team); }

 private:
  PreparedKernel kernel_;
  Operands operands_;
};

class TokenByToken : public SweepWork {
 public:
  TokenByToken(const Kernel& kernel, const Problem& problem, const Operands& operands, bool cache,
               int threads)
      : generation_(kernel, problem, cache ? Generation::Cache::kYes : Generation::Cache::kNo,
                    threads),
        operands_(operands),
        tokens_(problem.nq) {}
  void run(ThreadTeam& team, const Watch& watch) override {
    generation_.restart();
    for (std::int64_t token = 0; token < tokens_ && !watch.stopped(); ++token) {
      generation_.step(operands_, team);
    }
  }

 private:
  Generation generation_;
  Operands operands_;
  std::int64_t tokens_;
};

class AttentionSetup : public SweepSetup {
 public:
  AttentionSetup(const SweepSettings& settings, const SweepPoint& point)
      : problem_(point.problem),
        threads_(point.threads),
        generates_(settings.phase == SweepPhase::kGenerate),
        cache_(settings.cache),
        q_({problem_.batch, problem_.heads, problem_.nq, problem_.head_dim},
           problem_.dtype == Dtype::kInt8 ? Dtype::kF32 : problem_.dtype, problem_.seed, 0),
        k_({problem_.batch, problem_.kv_heads, problem_.nk, problem_.head_dim}, problem_.dtype,
           problem_.seed, 1),
        v_({problem_.batch, problem_.kv_heads, problem_.nk, problem_.head_dim_v}, problem_.dtype,
           problem_.seed, 2),
        o_(element_count(output_shape(problem_.nq)) * dtype_bytes(problem_.output_dtype)) {}

  std::unique_ptr<SweepWork> prepare(const Kernel& kernel) override {
    if (generates_) {
      return std::make_unique<TokenByToken>(kernel, problem_, operands(), cache_, threads_);
    }
    return std::make_unique<OneCall>(kernel, problem_, operands(), threads_);
  }

  // Int8 is a type of caches: a prefill computes with the keys and values that become one.
  std::unique_ptr<SweepWork> first_token() override {
    if (!generates_) return nullptr;
    Problem problem = problem_;
    Operands all = operands();
    if (problem.dtype == Dtype::kInt8) {
      problem.dtype = Dtype::kF32;
      all = {.q = q_.exact(), .k = k_.exact(), .v = v_.exact(), .o = output()};
    }
    return std::make_unique<OneCall>(*find_kernel(kPrefillKernel), problem, all, threads_);
  }

  Operands operands() const override {
    return {.q = q_.read(),
            .k = k_.read(),
            .v = v_.read(),
            .o = output(),
            .k_scales = k_.scales(),
            .v_scales = v_.scales()};
  }

  View output() const override {
    return View(o_.data(), problem_.output_dtype, output_shape(problem_.nq),
                row_major_strides(output_shape(problem_.nq)));
  }

  std::vector<double> rows(Truth truth, Operator op, std::span<const std::int64_t> rows,
                           ThreadTeam& team) const override {
    const Index4 shape = output_shape(std::ssize(rows));
    std::vector<double> out(static_cast<std::size_t>(element_count(shape)));
    Problem problem = problem_;
    Operands operands = this->operands();
    if (truth == Truth::kTextbook || truth == Truth::kBf16Steps) {
      std::vector<float> narrow(out.size());
      const View view(narrow.data(), shape);
      if (truth == Truth::kTextbook) {
        textbook_rows(problem, op, operands, rows, view, team);
      } else {
        bf16_steps_rows(problem, op, operands, rows, view, team);
      }
      std::transform(narrow.begin(), narrow.end(), out.begin(), [&](float x) {
        return problem.output_dtype == Dtype::kBf16 ? to_float(to_bf16(x)) : x;
      });
      return out;
    }
    if (truth == Truth::kUnrounded) {
      problem.dtype = Dtype::kF32;
      operands = {.q = q_.exact(), .k = k_.exact(), .v = v_.exact()};
      op = Operator::kDense;
    }
    reference_rows(problem, op, operands, rows, View(out.data(), shape), team);
    return out;
  }

  double magnitude(std::span<const double>) const override {
    return largest_value(v_.read(), v_.scales());
  }

 private:
  Index4 output_shape(std::int64_t queries) const {
    return {problem_.batch, problem_.heads, queries, problem_.head_dim_v};
  }

  Problem problem_;
  int threads_;
  bool generates_, cache_;
  Tensor q_, k_, v_;
  AlignedBuffer o_;
};

}  // namespace

std::unique_ptr<SweepSetup> make_attention_setup(const SweepSettings& settings,
                                                 const SweepPoint& point) {
  return std::make_unique<AttentionSetup>(settings, point);
}

std::unique_ptr<SweepSetup> make_sweep_setup(const SweepSettings& settings,
                                             const SweepPoint& point) {
  return settings.scope == SweepScope::kAttention ? make_attention_setup(settings, point)
                                                  : make_layer_setup(settings, point);
}

}  // namespace attnlab
