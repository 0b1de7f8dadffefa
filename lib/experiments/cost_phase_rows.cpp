// What layers do and keep in use: prefill and decode, the KV-cache, a training step.
#include <algorithm>
#include <optional>
#include <string>

#include "cost/training.h"
#include "experiments/cost_row.h"

namespace attnlab {

void add_phase_rows(const CostSubject& subject, std::int64_t n, Table& table) {
  struct Phase {
    std::string name;
    Causal causal;
  };
  struct Sums {
    Count pairs, projection, attention, ffn, bytes;
  };
  const Phase phases[] = {{"prefill", Causal::kNone},
                          {"prefill", Causal::kBottomRight},
                          {"decode", Causal::kBottomRight},
                          {"decode_absorbed", Causal::kBottomRight},
                          {"decode_expanding", Causal::kBottomRight}};
  const auto write = [&](const std::string& type, std::int64_t layers, const Phase& phase,
                         const Sums& sums, bool has_bytes) {
    const Count macs = sums.projection + sums.attention + sums.ffn;
    Table::RowWriter row = row_of(subject, type, table);
    row.set("layers", layers)
        .set("n", n)
        .set("phase", phase.name)
        .set("causal", choice_name(phase.causal))
        .set("pairs", exact(sums.pairs))
        .set("projection_macs", exact(sums.projection))
        .set("attention_macs", exact(sums.attention))
        .set("ffn_macs", exact(sums.ffn))
        .set("flops", exact(macs + macs));
    if (exact(macs) > 0) row.set("attention_share", real(sums.attention) / real(macs));
    if (!has_bytes) return;
    row.set("bytes", exact(sums.bytes));
    if (exact(sums.bytes) > 0) row.set("intensity", 2 * real(macs) / real(sums.bytes));
  };
  for (const Phase& phase : phases) {
    Sums all;
    const bool decodes = phase.name.starts_with("decode"), is_plain = phase.name.size() < 8;
    for (const LayerType& type : subject.shape.types) {
      if (!is_plain && !type.shape.latent) continue;
      if (decodes && (type.is_encoder || type.is_tower)) continue;
      LayerShape shape = type.shape;
      shape.causal = phase.causal;
      const LayerCost cost =
          layer_cost(shape, decodes ? decode_extent(shape, n) : extent_of(shape, n, n));
      Sums one{cost.pairs, cost.projection_macs, cost.attention_macs, cost.ffn_macs, cost.bytes};
      if (!is_plain) {
        const DecodeMacs macs = phase.name == "decode_absorbed" ? absorbed_decode(shape, n)
                                                                : expanding_decode(shape, n);
        one.projection = macs.projection;
        one.attention = macs.attention;
      }
      write(type.name, type.layers, phase, one, is_plain);
      if (type.is_tower) continue;
      const Count layers = type.layers;
      all = {all.pairs + layers * one.pairs, all.projection + layers * one.projection,
             all.attention + layers * one.attention, all.ffn + layers * one.ffn,
             all.bytes + layers * one.bytes};
    }
    if (is_plain && has_sum(subject.shape)) write("all", layers_of(subject), phase, all, true);
  }
}

void add_cache_rows(const CostSubject& subject, std::int64_t n, Table& table) {
  for (const StorageType storage :
       {StorageType::kF32, StorageType::kBf16, StorageType::kF16, StorageType::kInt8}) {
    Count token_sum, byte_sum;
    std::int64_t rows = 0, layer_sum = 0;
    const auto write = [&](const std::string& name, std::int64_t layers, Count per_token,
                           std::optional<std::int64_t> tokens, Count bytes, Count all_bytes) {
      Table::RowWriter row = row_of(subject, name, table);
      row.set("layers", layers).set("n", n).set("dtype", choice_name(storage));
      row.set("bytes_per_token", exact(per_token)).set("bytes", exact(bytes));
      row.set("all_layers_bytes", exact(all_bytes));
      if (tokens) row.set("cached_tokens", *tokens);
    };
    for (const LayerType& type : subject.shape.types) {
      if (type.is_encoder || type.is_tower || !type.shape.has_attention) continue;
      const Count per_token = cached_numbers(type.shape) * bytes_of(storage);
      const std::int64_t tokens = cached_tokens(type.shape, n);
      const Count bytes = per_token * tokens * type.shape.batch;
      write(type.name, type.layers, per_token, tokens, bytes, Count(type.layers) * bytes);
      token_sum = token_sum + Count(type.layers) * per_token;
      byte_sum = byte_sum + Count(type.layers) * bytes;
      layer_sum += type.layers;
      ++rows;
    }
    if (rows > 1) write("all", layer_sum, token_sum, std::nullopt, byte_sum, byte_sum);
  }
}

void add_training_rows(const CostSubject& subject, std::int64_t n, Table& table) {
  for (const StorageType storage : {StorageType::kF32, StorageType::kBf16}) {
    for (const AttentionStorage attention :
         {AttentionStorage::kThreeStep, AttentionStorage::kFused}) {
      for (const bool checkpointing : {false, true}) {
        Count score_sum, activation_sum, kept_sum;
        std::int64_t largest = 0;
        const auto write = [&](const std::string& name, std::int64_t layers, Count scores,
                               Count activations, Count kept, Count all, std::int64_t again) {
          row_of(subject, name, table)
              .set("layers", layers)
              .set("n", n)
              .set("dtype", choice_name(storage))
              .set("attention", attention == AttentionStorage::kFused ? "fused" : "three-step")
              .set("checkpointing", checkpointing)
              .set("score_bytes", exact(scores))
              .set("activation_bytes", exact(activations))
              .set("kept_bytes", exact(kept))
              .set("all_layers_bytes", exact(all))
              .set("recomputed_bytes", again)
              .set("peak_bytes", exact(all + again));
        };
        for (const LayerType& type : subject.shape.types) {
          if (type.is_tower) continue;
          const TrainingCost cost = training_cost(type.shape, n, attention, storage);
          const Count kept = checkpointing ? cost.input_bytes : cost.all();
          const Count layers = type.layers;
          const std::int64_t again = checkpointing ? exact(cost.all()) : 0;
          write(type.name, type.layers, cost.score_bytes, cost.activation_bytes, kept,
                layers * kept, again);
          score_sum = score_sum + layers * cost.score_bytes;
          activation_sum = activation_sum + layers * cost.activation_bytes;
          kept_sum = kept_sum + layers * kept;
          largest = std::max(largest, again);
        }
        if (has_sum(subject.shape)) {
          write("all", layers_of(subject), score_sum, activation_sum, kept_sum, kept_sum, largest);
        }
      }
    }
  }
}

}  // namespace attnlab
