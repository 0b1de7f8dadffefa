// Scopes module and block: a kernel between the projections of a layer.
//   x, out [B, Nq, M]   context [B, Nk, M], x itself where queries and keys are the same tokens
#include <algorithm>
#include <cmath>

#include "attention/layer.h"
#include "experiments/sweep_estimate.h"
#include "experiments/sweep_setup.h"
#include "random/fill.h"
#include "tensor/buffer.h"

namespace attnlab {
namespace {

// Normal numbers of a given deviation about a mean.
class Parameters {
 public:
  Parameters(std::int64_t count, std::uint64_t seed, std::uint64_t stream, double deviation,
             float mean = 0)
      : buffer_(count * 4) {
    const std::span<float> numbers(buffer_.as<float>(), static_cast<std::size_t>(count));
    fill_random(numbers, {.seed = seed, .stream = stream});
    for (float& number : numbers) number = mean + number * static_cast<float>(deviation);
  }
  const float* data() const { return buffer_.as<float>(); }

 private:
  AlignedBuffer buffer_;
};

class LayerWork : public SweepWork {
 public:
  LayerWork(const Kernel& kernel, const LayerProblem& shape, const LayerWeights& weights,
            const float* x, const float* context, float* out, int threads)
      : layer_(kernel, shape, threads), weights_(weights), x_(x), context_(context), out_(out) {}
  void run(ThreadTeam& team, const Watch&) override {
    layer_.run(weights_, x_, context_, out_, team);
  }

 private:
  Layer layer_;
  LayerWeights weights_;
  const float *x_, *context_;
  float* out_;
};

double deviation_of(std::int64_t rows) { return 1 / std::sqrt(static_cast<double>(rows)); }

class LayerSetup : public SweepSetup {
 public:
  LayerSetup(const SweepSettings& settings, const SweepPoint& point)
      : shape_(layer_problem(settings, point)),
        threads_(point.threads),
        out_(shape_.attention.batch * shape_.attention.nq * shape_.d_model * 4) {
    const Problem& p = shape_.attention;
    const std::int64_t model = shape_.d_model, ffn = shape_.ffn;
    const std::int64_t q = p.heads * p.head_dim, k = p.kv_heads * p.head_dim,
                       v = p.kv_heads * p.head_dim_v, o = p.heads * p.head_dim_v;
    x_ = add(p.batch * p.nq * model, 1);
    context_ = settings.nq || settings.nk ? add(p.batch * p.nk * model, 1) : x_;
    weights_.w_q = add(model * q, deviation_of(model));
    weights_.w_k = add(model * k, deviation_of(model));
    weights_.w_v = add(model * v, deviation_of(model));
    weights_.w_o = add(o * model, deviation_of(o));
    if (ffn == 0) return;
    weights_.norm1_gain = add(model, 0.1, 1);
    weights_.norm1_bias = add(model, 0.1);
    weights_.norm2_gain = add(model, 0.1, 1);
    weights_.norm2_bias = add(model, 0.1);
    weights_.w_1 = add(model * ffn, deviation_of(model));
    weights_.b_1 = add(ffn, 0.1);
    weights_.w_2 = add(ffn * model, deviation_of(ffn));
    weights_.b_2 = add(model, 0.1);
  }

  std::unique_ptr<SweepWork> prepare(const Kernel& kernel) override {
    return std::make_unique<LayerWork>(kernel, shape_, weights_, x_, context_, out_.as<float>(),
                                       threads_);
  }

  View output() const override {
    return View(out_.as<float>(), {shape_.attention.batch, 1, shape_.attention.nq, shape_.d_model});
  }

  std::vector<double> rows(Truth truth, Operator op, std::span<const std::int64_t> rows,
                           ThreadTeam& team) const override {
    const std::int64_t count = shape_.attention.batch * std::ssize(rows) * shape_.d_model;
    std::vector<double> out(static_cast<std::size_t>(count));
    if (truth == Truth::kTextbook) {
      std::vector<float> narrow(out.size());
      textbook_layer_rows(shape_, op, weights_, x_, context_, rows, narrow.data(), team);
      std::copy(narrow.begin(), narrow.end(), out.begin());
      return out;
    }
    const Operator wanted = truth == Truth::kUnrounded ? Operator::kDense : op;
    reference_layer_rows(shape_, wanted, weights_, x_, context_, rows, out.data(), team);
    return out;
  }

  double magnitude(std::span<const double> truth) const override {
    double largest = 0;
    for (const double value : truth) largest = std::max(largest, std::abs(value));
    return largest;
  }

 private:
  const float* add(std::int64_t count, double deviation, float mean = 0) {
    parameters_.emplace_back(count, shape_.attention.seed, parameters_.size(), deviation, mean);
    return parameters_.back().data();
  }

  LayerProblem shape_;
  int threads_;
  std::vector<Parameters> parameters_;
  const float *x_ = nullptr, *context_ = nullptr;
  LayerWeights weights_;
  AlignedBuffer out_;
};

}  // namespace

std::unique_ptr<SweepSetup> make_layer_setup(const SweepSettings& settings,
                                             const SweepPoint& point) {
  return std::make_unique<LayerSetup>(settings, point);
}

}  // namespace attnlab
