// What `inspect` is asked for: its parameters, what is wrong with them together, and the grid that
// they span.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_SETTINGS_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/problem.h"
#include "base/error.h"
#include "base/parameter.h"
#include "experiments/choices.h"
#include "io/tensor_heads.h"

namespace attnlab {

std::span<const std::string_view> choice_names(HeadLayout);  // bhnd, bnhd

// Where q, k and v come from.
enum class InspectInput { kWords, kRandom, kFiles, kList };

struct InspectPoint {
  std::size_t layer = 0;  // of the files; 0 elsewhere
  std::int64_t d = 0;     // of what is drawn; files have their own
  ScaleRule scale;
  double temperature = 1;
};

struct InspectSettings {
  std::optional<std::string> tokens;
  std::optional<std::int64_t> n;
  std::vector<std::int64_t> d{64};
  std::int64_t heads = 1;
  std::optional<std::int64_t> kv_heads;
  std::optional<std::string> q, k, v, file, tensors, list;
  HeadLayout layout = HeadLayout::kBhnd;
  std::vector<ScaleRule> scale{ScaleRule{}};
  std::vector<double> temperature{1};
  Causal causal = Causal::kNone;
  std::optional<std::int64_t> window;
  std::optional<std::string> mask;
  Rng rng = Rng::kMulberry32;
  std::int64_t seed = 1;
  bool compare_scale = false;
  std::int64_t draws = 0;
  std::optional<std::string> rows;
  bool sinks = false;
  std::optional<std::int64_t> map;
  std::optional<std::string> write_output;

  void declare(ParameterList& list);
  InspectInput input() const;
  bool is_drawn() const {
    return input() == InspectInput::kWords || input() == InspectInput::kRandom;
  }
  // The words of a text, in order; those of the lesson where none is given.
  std::vector<std::string> words() const;
  // Queries whose weights are wanted whole; sorted, each once. Empty where `rows` is not given.
  std::vector<std::int64_t> wanted_rows() const;
  std::vector<ScaleRule> scales() const;  // compare_scale: without and with 1/sqrt(d)
  Operator op() const { return window ? Operator::kWindow : Operator::kDense; }

  using AddMistake = std::function<void(const char* name, std::string problem, std::string remedy)>;
  // What is given and would change nothing.
  void check_use(const AddMistake& add) const;
  // Adds what is wrong with several of them together, each with its place below `place`.
  void check(const std::string& place, std::vector<Mistake>& mistakes) const;
  // The grid in the order of running.
  std::vector<InspectPoint> points(std::size_t layers) const;
  // Those of d, scale and temperature that have more than one value: columns of every table.
  std::vector<std::string> axes() const;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_SETTINGS_H_
