#include "experiments/cost_tables.h"

#include <utility>

namespace attnlab {
namespace {

Column exact(std::string name, std::string help, std::string unit = "") {
  return {std::move(name), std::move(help), ColumnKind::kExact, std::move(unit)};
}
Column key(std::string name, std::string help) {
  return {std::move(name), std::move(help), ColumnKind::kParameter};
}

class Builder {
 public:
  Builder(const ParameterList& parameters, bool of_models)
      : parameters_(parameters), of_models_(of_models) {}

  Table table(const char* name, std::vector<Column> columns, bool is_detail = true) const {
    if (of_models_) columns.insert(columns.begin(), key("model", "file of the model"));
    Table out(name, "cost", std::move(columns));
    out.is_detail = is_detail;
    return out;
  }

  Column layer_type() const { return key("layer_type", "kind of layer; all: the sum of them"); }
  Column layers() const { return parameter_column(parameters_, "layers"); }
  Column n() const { return parameter_column(parameters_, "n"); }

 private:
  const ParameterList& parameters_;
  bool of_models_;
};

Table cost_table(const Builder& make) {
  return make.table(
      "cost",
      {make.layer_type(), make.layers(), make.n(),
       exact("projection_macs", "multiply-adds of the projections Q, K, V, O", "MAC"),
       exact("attention_macs", "multiply-adds of the two contractions", "MAC"),
       exact("ratio", "attention_macs / projection_macs"),
       exact("crossover_n", "n where attention equals the projections; null when it never does"),
       exact("ffn_macs", "multiply-adds of the feed-forward layer", "MAC"),
       exact("crossover_n_all_linear",
             "n where attention equals projections and feed-forward; null when it never does"),
       exact("score_bytes", "the stored score matrices of all heads", "B"),
       exact("kv_cache_bytes_per_token", "cached keys and values of one token of a sequence", "B"),
       exact("pairs", "(query, key) couples that the mask leaves, of one head of a sequence"),
       exact("attention_flops", "floating-point operations of the two contractions: 2 a MAC",
             "FLOP"),
       status_column(), reason_column()},
      false);
}

Table parts_table(const Builder& make) {
  return make.table(
      "parts", {make.layer_type(), make.n(), key("part", "part of the layer"),
                exact("macs", "multiply-adds", "MAC"),
                exact("flops", "floating-point operations: 2 a multiply-add", "FLOP"),
                exact("exponentials", "exponentials of the softmax, which has no multiply-adds"),
                exact("bytes", "each operand read once, each result written once", "B"),
                exact("intensity", "flops / bytes", "FLOP/B"),
                exact("share", "of the multiply-adds of all parts of this layer_type")});
}

Table phases_table(const Builder& make) {
  return make.table(
      "phases",
      {make.layer_type(), make.layers(), make.n(),
       key("phase", "prefill: n tokens at once; decode: one token after n - 1 cached ones"),
       key("causal", "which keys a query sees"),
       exact("pairs", "(query, key) couples of one head of a sequence"),
       exact("projection_macs", "multiply-adds of the projections", "MAC"),
       exact("attention_macs", "multiply-adds of the two contractions", "MAC"),
       exact("ffn_macs", "multiply-adds of the feed-forward layer", "MAC"),
       exact("flops", "floating-point operations of all parts", "FLOP"),
       exact("bytes", "each operand read once, each result written once", "B"),
       exact("intensity", "flops / bytes", "FLOP/B"),
       exact("attention_share", "of the multiply-adds")});
}

Table cache_table(const Builder& make) {
  return make.table(
      "kv_cache",
      {make.layer_type(), make.layers(), make.n(), key("dtype", "type of the cached numbers"),
       exact("bytes_per_token", "of one token of a sequence, one layer (all: all layers)", "B"),
       exact("cached_tokens", "tokens that a later query can still need: a window's at most"),
       exact("bytes", "whole batch at n tokens, one layer (all: all layers)", "B"),
       exact("all_layers_bytes", "the layers of this kind together", "B")});
}

Table training_table(const Builder& make) {
  return make.table(
      "training",
      {make.layer_type(), make.layers(), make.n(), key("dtype", "type of what is kept"),
       key("attention", "three-step keeps the weights of all scores, fused their log-sum-exp"),
       key("checkpointing", "only the input of a layer is kept, the rest computed again"),
       exact("score_bytes", "weights or log-sum-exp of one layer's forward pass", "B"),
       exact("activation_bytes", "other activations of one layer's forward pass", "B"),
       exact("kept_bytes", "what one layer keeps until its backward pass", "B"),
       exact("all_layers_bytes", "what the layers of this kind keep together", "B"),
       exact("recomputed_bytes", "with checkpointing: one layer's, while computed again", "B"),
       exact("peak_bytes", "all_layers_bytes and recomputed_bytes", "B")});
}

Table shapes_table(const Builder& make) {
  return make.table(
      "shapes",
      {make.layer_type(), make.layers(), exact("D", "width of the model"),
       exact("heads", "query heads"), exact("kv_heads", "heads of keys and values"),
       exact("head_dim", "size of a query and of a key"), exact("head_dim_v", "size of a value"),
       exact("window", "keys that a query sees around its place"),
       exact("chunk", "places of a chunk that attends to itself only"),
       exact("kv_lora_rank", "numbers of the compressed keys and values of latent attention"),
       exact("ffn", "width of the feed-forward part that every token goes through"),
       exact("ffn_matrices", "2, or 3 where it is gated"), exact("experts", "experts of the layer"),
       exact("active_experts", "experts that a token goes through"),
       exact("expert_ffn", "width of an expert"),
       exact("projection_macs_per_token", "multiply-adds of the projections", "MAC"),
       exact("ffn_macs_per_token", "multiply-adds of the feed-forward layer, active experts",
             "MAC"),
       exact("ffn_macs_per_token_all_experts", "the same if all experts were active", "MAC")});
}

Table comparison_table(const Builder& make) {
  return make.table(
      "comparison",
      {make.n(), exact("layers", "layers of the text model"),
       exact("attention_layers", "of them with attention"),
       exact("projection_macs", "of all layers", "MAC"),
       exact("attention_macs", "of all layers", "MAC"),
       exact("ratio", "attention_macs / projection_macs"),
       exact("crossover_n", "n where attention equals the projections"),
       exact("ffn_macs", "of all layers, active experts", "MAC"),
       exact("crossover_n_all_linear", "n where attention equals projections and feed-forward"),
       exact("output_head_macs", "of the output head, all tokens", "MAC"),
       exact("kv_cache_bytes_per_token", "of all layers that keep a cache", "B"),
       exact("kv_cache_bytes", "of the whole batch at n tokens", "B")});
}

}  // namespace

std::vector<Table> cost_tables(const ParameterList& parameters, bool of_models, bool measures) {
  const Builder make(parameters, of_models);
  std::vector<Table> out{cost_table(make),  parts_table(make),    phases_table(make),
                         cache_table(make), training_table(make), shapes_table(make)};
  if (of_models) {
    out.push_back(comparison_table(make));
    out.push_back(make.table("keys", {key("key", "key of the file, or the absent one"),
                                      exact("how", "read, derived, assumed or not counted"),
                                      exact("value", "the value taken"),
                                      exact("text", "the rule, or why it is assumed")}));
  }
  if (measures) add_measured_tables(parameters, of_models, out);
  return out;
}

}  // namespace attnlab
