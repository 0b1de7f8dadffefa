// Claims on published models: what a context of 8k or 128k tokens keeps in memory is counted from
// the shape; what models do is taken from their publications and marked as not measured.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cost/layer.h"
#include "cost/training.h"
#include "experiments/verify_groups.h"
#include "report/cell_text.h"

namespace attnlab {
namespace {

constexpr double kAccelerator = 80e9;  // bytes of the largest common accelerator of these years
constexpr std::int64_t kLayers = 32;

// A model of 8 billion parameters: 32 layers, D = 4096, 32 heads on 8 of keys and values, bf16.
LayerShape typical_layer() {
  LayerShape out;
  out.width = 4096;
  out.heads = 32;
  out.kv_heads = 8;
  out.head_dim = out.head_dim_v = 128;
  out.causal = Causal::kTopLeft;
  out.ffn = {true, 14336};
  out.storage = StorageType::kBf16;
  return out;
}

double real(const Count& count) { return static_cast<double>(count.value().value()); }

void context_memory(const ClaimContext&, Findings& out) {
  const LayerShape layer = typical_layer();
  std::string measured;
  double short_all = 0, long_all = 0, long_checkpointed = 0;
  for (const std::int64_t n : {8192, 131072}) {
    const LayerCost cost = layer_cost(layer, {n, n, n});
    const TrainingCost step = training_cost(layer, n, AttentionStorage::kFused, StorageType::kBf16);
    const double scores = kLayers * real(cost.score_bytes);
    const double cache = kLayers * real(cost.kv_cache_bytes_per_token) * static_cast<double>(n);
    const double all = kLayers * real(step.all());
    const double checkpointed = kLayers * real(step.input_bytes) + real(step.all());
    const std::string place = fmt::format(", {} tokens", n);
    out.number({.quantity = "scores of all layers" + place, .value = scores, .unit = "B"});
    out.number({.quantity = "KV-cache" + place, .value = cache, .unit = "B"});
    out.number({.quantity = "activations of a training step" + place, .value = all, .unit = "B"});
    out.number(
        {.quantity = "the same with checkpointing" + place, .value = checkpointed, .unit = "B"});
    measured += fmt::format("{}{}k: scores {}, KV-cache {}, activations {} ({} checkpointed)",
                            measured.empty() ? "" : "; ", n / 1024, size_text(scores),
                            size_text(cache), size_text(all), size_text(checkpointed));
    (n == 8192 ? short_all : long_all) = all;
    long_checkpointed = checkpointed;
  }
  out.core(truth_of(short_all < kAccelerator), "",
           "the activations of 8k tokens do not fit 80 GB without checkpointing");
  out.core(truth_of(long_all > kAccelerator), "",
           "the activations of 128k tokens fit 80 GB without checkpointing");
  out.core(truth_of(long_checkpointed < kAccelerator), "",
           "the activations of 128k tokens do not fit 80 GB with checkpointing");
  out.remark(
      "counted for a layer shape of 8 billion parameters, bf16, fused attention, against 80 GB; "
      "that "
      "published models have such contexts is a fact from their model cards, not measured");
  out.measured(measured);
}

// From the publications; a window of std::nullopt is full attention.
struct PublishedModel {
  const char* name;
  std::optional<std::int64_t> window;
  std::int64_t experts;
  const char* source;
};
constexpr PublishedModel kPublished[] = {
    {"Mistral 7B, first version", 4096, 1, "Jiang et al., Mistral 7B, 2023, section 2"},
    {"Mixtral 8x7B", std::nullopt, 8, "Jiang et al., Mixtral of Experts, 2024, section 2"},
};

void mistral(const ClaimContext&, Findings& out) {
  std::int64_t sparse = 0;
  std::string dense;
  for (const PublishedModel& model : kPublished) {
    const bool is_sparse = model.window.has_value();
    sparse += is_sparse ? 1 : 0;
    out.number({.quantity = std::string("window of ") + model.name + " (0: full attention)",
                .value = static_cast<double>(model.window.value_or(0)),
                .how = std::string("not measured: ") + model.source});
    out.number({.quantity = std::string("experts of ") + model.name,
                .value = static_cast<double>(model.experts),
                .how = std::string("not measured: ") + model.source});
    if (is_sparse) continue;
    dense += fmt::format("{}{} has full attention{}", dense.empty() ? "" : ", ", model.name,
                         model.experts > 1 ? ", \"sparse\" there means its experts" : "");
  }
  const auto all = static_cast<std::int64_t>(std::size(kPublished));
  out.core(truth_of(sparse > 0), "", "neither has a window");
  out.wording(truth_of(sparse == all), "", dense);
  out.remark("from facts, not a measurement");
  out.measured(
      fmt::format("not measured: {} of {} published configurations have a window", sparse, all));
}

}  // namespace

void add_fact_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back({"contexts-and-checkpointing",
                 "full attention reaches 8k-128k; longer fine-tuning needs checkpointing",
                 "explainer", K::kFact,
                 "memory of scores, KV-cache and activations at 8k and 128k, counted from a shape "
                 "of 8 billion parameters",
                 V::kHolds,
                 "from facts: print the memory of scores, of the KV-cache and of the activations",
                 0.1, context_memory});
  out.push_back({"mistral-and-mixtral", "Mistral and Mixtral use sparse attention", "explainer",
                 K::kFact, "not measured: the window and the experts that their papers publish",
                 V::kImprecise,
                 "a sliding window in Mistral's first version (4096), full attention in Mixtral; "
                 "\"sparse\" there means experts",
                 0.1, mistral});
}

}  // namespace attnlab
