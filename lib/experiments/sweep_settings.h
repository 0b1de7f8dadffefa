// What `sweep` is asked for: its parameters, and the grid that they span. One point of the grid has
// one length and one value of every other list; its kernels are measured together.
#ifndef ATTNLAB_EXPERIMENTS_SWEEP_SETTINGS_H_
#define ATTNLAB_EXPERIMENTS_SWEEP_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/kernel.h"
#include "base/error.h"
#include "base/parameter.h"
#include "experiments/choices.h"

namespace attnlab {

// What is timed: the attention alone, with its projections, or a Transformer block.
enum class SweepScope { kAttention, kModule, kBlock };
std::span<const std::string_view> choice_names(SweepScope);

// All queries at once; one query a sequence on n cached keys; n tokens one by one.
enum class SweepPhase { kPrefill, kDecode, kGenerate };
std::span<const std::string_view> choice_names(SweepPhase);

// A whole number in a list where "auto" stands for what follows from the other parameters.
struct AutoCount {
  std::int64_t value = 0;  // 0: auto
};

template <>
struct ParameterType<AutoCount> {
  static void describe(ValueRules& rules) {
    rules.kind = ValueKind::kInteger;
    rules.words = {"auto"};
  }
  static AutoCount from(const Json& item) {
    return {item.is_number() ? ParameterType<std::int64_t>::from(item) : 0};
  }
  static Json to(AutoCount count) { return count.value == 0 ? Json("auto") : Json(count.value); }
};

// One combination of all lists but those of kernels, with every default worked out.
struct SweepPoint {
  std::int64_t n = 1, d_model = 1;
  Problem problem{};  // of the attention; for generate that of all tokens
  int threads = 1;
};

// A kernel that a point measures; null where the build or the processor has none such. The reason
// says why, or why it is not a better one.
struct SweepKernel {
  std::string name, isa;
  const Kernel* kernel = nullptr;
  std::string reason;
};

struct SweepSettings {
  std::vector<std::int64_t> n{64, 128, 256, 512, 1024};
  std::vector<std::string> kernel{"naive", "flash"};
  SweepScope scope = SweepScope::kAttention;
  std::vector<std::int64_t> d_model{256}, heads{4};
  std::optional<std::int64_t> kv_heads, head_dim_v, nq, nk;
  std::vector<AutoCount> head_dim{AutoCount()};
  std::vector<std::int64_t> batch{1};
  std::vector<Causal> causal{Causal::kNone};
  std::vector<std::int64_t> window{256};
  std::int64_t global_tokens = 0;
  std::optional<std::int64_t> stride;
  std::int64_t random_blocks = 3;
  std::vector<std::int64_t> features{256};
  std::vector<std::string> dtype{"f32"};
  std::string output_dtype = "f32";
  FpMath fpmath = FpMath::kStrict;
  std::vector<AutoCount> threads{AutoCount()};
  std::vector<std::string> isa{"best"};
  ScaleRule scale;
  std::int64_t repeats = 10, warmup = 1;
  Duration min_time{0.01};
  std::int64_t runs = 1;
  SweepPhase phase = SweepPhase::kPrefill;
  bool cache = true;
  std::string baseline = "naive";
  std::int64_t seed = 1;
  std::optional<ByteSize> max_memory;
  std::optional<Duration> max_time;

  void declare(ParameterList& list);
  // Parts of it that other experiments on kernels share.
  void declare_grid(ParameterList& list, const std::string& kernel_help);  // n and kernel
  void declare_sizes(ParameterList& list);                                 // d_model to batch
  void declare_operator(ParameterList& list);  // causal to random_blocks
  void declare_running(ParameterList& list);   // dtype to min_time
  void declare_seed(ParameterList& list);
  // Adds what is wrong with several of them together, each with its place below `place`.
  void check(const std::string& place, std::vector<Mistake>& mistakes) const;

  // The grid in the order of running. `auto_threads` is what threads auto means.
  std::vector<SweepPoint> points(int auto_threads) const;
  // Those of a point: what is best, and what there is, depends on its problem.
  std::vector<SweepKernel> kernels(const Problem& problem) const;

  std::int64_t ffn(const SweepPoint& point) const {  // of a block; 0 elsewhere
    return scope == SweepScope::kBlock ? 4 * point.d_model : 0;
  }
};

// The parameters that tell points apart and have more than one value: columns of every table.
// dtype and threads, which always are columns, do not count, nor does n.
std::vector<std::string> sweep_axes(const SweepSettings& settings);
// The value of such a parameter at a point.
Json axis_value(const SweepPoint& point, std::string_view axis);

// What the grid's `point` is called in progress and messages.
std::string sweep_label(const SweepSettings& settings, const SweepPoint& point);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_SWEEP_SETTINGS_H_
