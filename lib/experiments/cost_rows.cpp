// What layers cost at one n, by kind and by part; their shapes; models beside each other.
#include <algorithm>
#include <functional>
#include <utility>

#include "experiments/cost_row.h"

namespace attnlab {
namespace {

// The sum of `layers` times a count over the text model's layers.
Count sum(const CostSubject& subject, const std::function<Count(const LayerType&)>& count) {
  Count out;
  for (const LayerType& type : subject.shape.types) {
    if (!type.is_tower) out = out + Count(type.layers) * count(type);
  }
  return out;
}

void set_crossovers(const std::vector<LayerGroup>& groups, Table& table, Table::RowWriter& row) {
  const Crossover projections = crossover(groups, LinearWork::kProjections);
  const Crossover all = crossover(groups, LinearWork::kProjectionsAndFeedForward);
  if (projections.n) row.set("crossover_n", *projections.n);
  if (all.n) row.set("crossover_n_all_linear", *all.n);
  const std::string& reason = all.reason.empty() ? projections.reason : all.reason;
  if (!reason.empty() && table.index_of("reason") >= 0) row.set("reason", "crossover: " + reason);
}

// What one row of the table cost sums up.
struct Totals {
  Count projection, attention, ffn, score_bytes, cache, pairs;

  void write(Table::RowWriter& row) const {
    row.set("projection_macs", exact(projection))
        .set("attention_macs", exact(attention))
        .set("ffn_macs", exact(ffn))
        .set("score_bytes", exact(score_bytes))
        .set("kv_cache_bytes_per_token", exact(cache))
        .set("pairs", exact(pairs))
        .set("attention_flops", exact(attention + attention));
    if (exact(projection) > 0) row.set("ratio", real(attention) / real(projection));
  }
};

void add_part_rows(const CostSubject& subject, const std::string& layer_type, std::int64_t n,
                   const std::vector<LayerPart>& parts, Table& table) {
  Count all;
  for (const LayerPart& part : parts) all = all + part.macs;
  for (const LayerPart& part : parts) {
    Table::RowWriter row = row_of(subject, layer_type, table);
    row.set("n", n)
        .set("part", std::string(part.name))
        .set("macs", exact(part.macs))
        .set("flops", exact(part.macs + part.macs))
        .set("exponentials", exact(part.exponentials))
        .set("bytes", exact(part.bytes));
    if (exact(part.bytes) > 0) row.set("intensity", 2 * real(part.macs) / real(part.bytes));
    if (exact(all) > 0) row.set("share", real(part.macs) / real(all));
  }
}

// Adds `layers` times each part to the sums, by name.
void add_to(std::vector<LayerPart>& sums, const std::vector<LayerPart>& parts, Count layers) {
  for (const LayerPart& part : parts) {
    auto found = std::find_if(sums.begin(), sums.end(),
                              [&](const LayerPart& one) { return one.name == part.name; });
    if (found == sums.end()) found = sums.insert(sums.end(), {part.name, 0, 0, 0});
    found->macs = found->macs + layers * part.macs;
    found->bytes = found->bytes + layers * part.bytes;
    found->exponentials = found->exponentials + layers * part.exponentials;
  }
}

// One product by the embedding's transpose for every token.
LayerPart output_head(const ModelShape& shape, const LayerShape& layer, std::int64_t tokens) {
  const Count all = Count(layer.batch) * tokens;
  const Count numbers = all * (Count(shape.width) + shape.vocabulary) + shape.output_head_macs();
  return {"output_head", all * shape.output_head_macs(), numbers * bytes_of(layer.storage), 0};
}

}  // namespace

bool has_sum(const ModelShape& shape) { return shape.groups().size() > 1; }

void add_cost_rows(const CostSubject& subject, const CostPoint& point, std::vector<Table>& tables) {
  Table& cost_table = tables[CostTables::kCost];
  Table& parts_table = tables[CostTables::kParts];
  Totals all;
  std::vector<LayerPart> part_sums;
  for (const LayerType& type : subject.shape.types) {
    const LayerCost cost = layer_cost(type.shape, extent_of(type.shape, point.nq, point.nk));
    const Totals one{cost.projection_macs, cost.attention_macs,           cost.ffn_macs,
                     cost.score_bytes,     cost.kv_cache_bytes_per_token, cost.pairs};
    Table::RowWriter row = row_of(subject, type.name, cost_table);
    row.set("layers", type.layers).set("n", point.n);
    one.write(row);
    const std::vector<LayerGroup> group{{type.layers, type.shape}};
    set_crossovers(group, cost_table, row);
    add_part_rows(subject, type.name, point.n, cost.parts, parts_table);
    if (type.is_tower) continue;
    const Count layers = type.layers;
    all = {all.projection + layers * one.projection,
           all.attention + layers * one.attention,
           all.ffn + layers * one.ffn,
           all.score_bytes + layers * one.score_bytes,
           all.cache + layers * one.cache,
           all.pairs + layers * one.pairs};
    add_to(part_sums, cost.parts, layers);
  }
  if (has_sum(subject.shape)) {
    Table::RowWriter row = row_of(subject, "all", cost_table);
    row.set("layers", layers_of(subject)).set("n", point.n);
    all.write(row);
    set_crossovers(subject.shape.groups(), cost_table, row);
  }
  const bool has_head = subject.shape.vocabulary > 0;
  if (has_head) {
    const LayerShape& layer = subject.shape.types.front().shape;
    part_sums.push_back(output_head(subject.shape, layer, point.nq));
  }
  if (has_head || has_sum(subject.shape)) {
    add_part_rows(subject, "all", point.n, part_sums, parts_table);
  }
  exact(all.projection + all.attention + all.ffn);
}

void add_shape_rows(const CostSubject& subject, Table& table) {
  for (const LayerType& type : subject.shape.types) {
    const LayerShape& s = type.shape;
    Table::RowWriter row = row_of(subject, type.name, table);
    row.set("layers", type.layers).set("D", s.width);
    if (s.has_attention) {
      row.set("heads", s.heads)
          .set("kv_heads", s.kv_heads)
          .set("head_dim", s.head_dim)
          .set("head_dim_v", s.head_dim_v);
    }
    if (s.reach.window) row.set("window", *s.reach.window);
    if (s.reach.chunk) row.set("chunk", *s.reach.chunk);
    if (s.latent) row.set("kv_lora_rank", s.latent->kv_rank);
    row.set("ffn", s.ffn.dense)
        .set("ffn_matrices", s.ffn.gated ? 3 : 2)
        .set("experts", s.ffn.experts)
        .set("active_experts", s.ffn.active_experts)
        .set("expert_ffn", s.ffn.expert)
        .set("projection_macs_per_token", exact(projection_macs_per_token(s)))
        .set("ffn_macs_per_token", exact(ffn_macs_per_token(s)))
        .set("ffn_macs_per_token_all_experts", exact(ffn_macs_per_token_all_experts(s)));
  }
}

void add_comparison_row(const CostSubject& subject, const CostPoint& point, Table& table) {
  const auto of = [&](const LayerType& type) {
    return layer_cost(type.shape, extent_of(type.shape, point.nq, point.nk));
  };
  const Count projection = sum(subject, [&](const auto& type) { return of(type).projection_macs; });
  const Count attention = sum(subject, [&](const auto& type) { return of(type).attention_macs; });
  const auto keeps = [](const LayerType& type) { return !type.is_encoder; };
  const Count cache = sum(subject, [&](const auto& type) {
    return keeps(type) ? of(type).kv_cache_bytes_per_token : Count(0);
  });
  const Count cache_bytes = sum(subject, [&](const auto& type) {
    const Count tokens = Count(type.shape.batch) * cached_tokens(type.shape, point.nk);
    return keeps(type) ? of(type).kv_cache_bytes_per_token * tokens : Count(0);
  });
  std::int64_t with_attention = 0;
  for (const auto& [layers, shape] : subject.shape.groups()) {
    if (shape.has_attention && !shape.is_cross) with_attention += layers;
  }
  Table::RowWriter row = row_of(subject, "", table);
  row.set("n", point.n)
      .set("layers", layers_of(subject))
      .set("attention_layers", with_attention)
      .set("projection_macs", exact(projection))
      .set("attention_macs", exact(attention))
      .set("ffn_macs", exact(sum(subject, [&](const auto& type) { return of(type).ffn_macs; })))
      .set("output_head_macs",
           exact(output_head(subject.shape, subject.shape.types.front().shape, point.nq).macs))
      .set("kv_cache_bytes_per_token", exact(cache))
      .set("kv_cache_bytes", exact(cache_bytes));
  if (exact(projection) > 0) row.set("ratio", real(attention) / real(projection));
  set_crossovers(subject.shape.groups(), table, row);
}

}  // namespace attnlab
