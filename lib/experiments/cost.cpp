// Where the multiply-adds and bytes of a layer go, and from which n attention outweighs the linear
// work. Everything follows from the shape: one point a sequence length.
#include <fmt/format.h>

#include <utility>

#include "base/parameter.h"
#include "cost/layer.h"
#include "experiments/experiment.h"

namespace attnlab {
namespace {

constexpr double kLargestSize = 1e9;

class Cost : public Experiment {
 public:
  void declare(ParameterList& list) override {
    list.add("D", width_, "width of the model")
        .alias("d_model")
        .range(1, kLargestSize)
        .unset("heads x head_dim, or 768");
    list.add("heads", heads_, "query heads; 1 where D/64 is not whole")
        .range(1, kLargestSize)
        .unset("D/64");
    list.add("kv_heads", kv_heads_, "heads of keys and values; fewer than heads: grouped queries")
        .range(1, kLargestSize)
        .unset("heads");
    list.add("head_dim", head_dim_, "size of a query and of a key")
        .range(1, kLargestSize)
        .unset("D/heads");
    list.add("head_dim_v", head_dim_v_, "size of a value").range(1, kLargestSize).unset("head_dim");
    list.add("n", n_, "sequence length: queries and keys").range(1, kLargestSize);
    list.add("nq", nq_, "queries, where they are not n").range(1, kLargestSize).unset("n");
    list.add("nk", nk_, "keys, where they are not n").range(1, kLargestSize).unset("n");
    list.add("batch", shape_.batch, "sequences").range(1, kLargestSize);
    list.add("causal", shape_.causal, "which keys a query sees; none counts full pairs");
    list.add("window", shape_.window, "keys a query sees around (causal: up to) its own place")
        .range(1, kLargestSize)
        .unset("none");
    list.add("ffn", ffn_, "width of the feed-forward layer").range(0, kLargestSize).unset("4D");
    list.add("ffn_gated", shape_.ffn_gated, "a gated feed-forward layer: three matrices, not two");
    list.add("experts", experts_, "feed-forward experts").range(1, 1e6);
    list.add("active_experts", shape_.active_experts, "experts that a token goes through")
        .range(1, 1e6);
    list.add("layers", layers_, "layers of this shape in the model").range(1, 1e6);
    list.add("dtype", shape_.storage, "type of scores, KV-cache and operands, for the bytes");
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    const std::size_t before = mistakes.size();
    derive_sizes(place, mistakes);
    if (shape_.active_experts > experts_) {
      mistakes.push_back(
          {child_place(place, "active_experts"),
           fmt::format("{} is more than the {} experts", shape_.active_experts, experts_),
           "raise experts"});
    }
    if (mistakes.size() > before) return;
    for (const std::int64_t n : n_) {
      const LayerCost cost = layer_cost(shape_, nq_.value_or(n), nk_.value_or(n));
      // The largest counts; where they fit, all others do.
      const Count total = cost.projection_macs + cost.attention_macs + cost.ffn_macs;
      Count bytes = cost.score_bytes;
      for (const LayerPart& part : cost.parts) bytes = bytes + part.bytes;
      if (!(total + total).value() || !bytes.value()) {
        mistakes.push_back({child_place(place, "n"),
                            fmt::format("n = {} gives counts of 2^63 and more with these sizes", n),
                            "choose smaller sizes"});
      }
    }
  }

  std::vector<Table> tables() const override {
    const auto exact = [](std::string name, std::string help, std::string unit = "") {
      Column column{std::move(name), std::move(help), ColumnKind::kExact, std::move(unit)};
      return column;
    };
    std::vector<Column> cost{{"layer_type", "kind of layer", ColumnKind::kParameter},
                             parameter_column(*parameters_, "layers"),
                             parameter_column(*parameters_, "n")};
    std::vector<Column> parts{
        cost[0], cost[2], {"part", "part of the layer", ColumnKind::kParameter}};
    const std::vector<Column> costs{
        exact("projection_macs", "multiply-adds of the projections Q, K, V, O", "MAC"),
        exact("attention_macs", "multiply-adds of the two contractions", "MAC"),
        exact("ratio", "attention_macs / projection_macs"),
        exact("crossover_n", "n where attention equals the projections; null when it never does"),
        exact("ffn_macs", "multiply-adds of the feed-forward layer", "MAC"),
        exact("crossover_n_all_linear",
              "n where attention equals projections and feed-forward; null when it never does"),
        exact("score_bytes", "the stored score matrices of all heads", "B"),
        exact("kv_cache_bytes_per_token", "cached keys and values of one token of a sequence",
              "B")};
    cost.insert(cost.end(), costs.begin(), costs.end());
    cost.push_back(status_column());
    cost.push_back(reason_column());
    const std::vector<Column> part_values{
        exact("macs", "multiply-adds", "MAC"),
        exact("flops", "floating-point operations: 2 a multiply-add", "FLOP"),
        exact("exponentials", "exponentials of the softmax, which has no multiply-adds"),
        exact("bytes", "each operand read once, each result written once", "B"),
        exact("intensity", "flops / bytes", "FLOP/B"),
        exact("share", "of the layer's multiply-adds")};
    parts.insert(parts.end(), part_values.begin(), part_values.end());
    Table parts_table("parts", "cost", std::move(parts));
    parts_table.is_detail = true;
    return {Table("cost", "cost", std::move(cost)), std::move(parts_table)};
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const std::int64_t n : n_) out.push_back({fmt::format("n={}", n)});
    return out;
  }

  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    Table::RowWriter row = table.add_row();
    row.set("layer_type", "attention").set("layers", layers_).set("n", n_[point]);
    return row;
  }

  void run(std::size_t point, RunContext&, std::vector<Table>& tables) override {
    const std::int64_t n = n_[point];
    const LayerCost cost = layer_cost(shape_, nq_.value_or(n), nk_.value_or(n));
    const auto macs = [](const Count& count) { return static_cast<double>(*count.value()); };
    const Crossover projections = crossover_projections(shape_);
    const Crossover all_linear = crossover_all_linear(shape_);
    Table::RowWriter row = add_row(point, tables[0]);
    row.set("projection_macs", *cost.projection_macs.value())
        .set("attention_macs", *cost.attention_macs.value())
        .set("ratio", macs(cost.attention_macs) / macs(cost.projection_macs))
        .set("ffn_macs", *cost.ffn_macs.value())
        .set("score_bytes", *cost.score_bytes.value())
        .set("kv_cache_bytes_per_token", *cost.kv_cache_bytes_per_token.value());
    if (projections.n) row.set("crossover_n", *projections.n);
    if (all_linear.n) row.set("crossover_n_all_linear", *all_linear.n);
    const std::string& reason = all_linear.reason.empty() ? projections.reason : all_linear.reason;
    if (!reason.empty()) row.set("reason", "crossover: " + reason);

    const double all = macs(cost.projection_macs + cost.attention_macs + cost.ffn_macs);
    for (const LayerPart& part : cost.parts) {
      tables[1]
          .add_row()
          .set("layer_type", "attention")
          .set("n", n)
          .set("part", std::string(part.name))
          .set("macs", *part.macs.value())
          .set("flops", *(part.macs + part.macs).value())
          .set("exponentials", *part.exponentials.value())
          .set("bytes", *part.bytes.value())
          .set("intensity", 2 * macs(part.macs) / macs(part.bytes))
          .set("share", macs(part.macs) / all);
    }
  }

  void finish(std::vector<Table>& tables) override {
    tables[0].add_note(fmt::format(
        "D = {}, {} heads ({} of keys and values) of {}{}; a layer, whole batch; counted pairs: "
        "{}.",
        shape_.width, shape_.heads, shape_.kv_heads, shape_.head_dim,
        shape_.head_dim_v == shape_.head_dim ? "" : fmt::format(" (values {})", shape_.head_dim_v),
        pair_rule()));
  }

 private:
  void derive_sizes(const std::string& place, std::vector<Mistake>& mistakes) {
    const auto mistake = [&](const char* key, std::string problem, std::string remedy) {
      mistakes.push_back({child_place(place, key), std::move(problem), std::move(remedy)});
    };
    std::int64_t width = width_.value_or(768);
    if (!width_ && heads_ && head_dim_) width = *heads_ * *head_dim_;
    if (width > static_cast<std::int64_t>(kLargestSize)) {
      mistake("D", fmt::format("heads x head_dim = {} is too large", width),
              "choose smaller sizes");
      return;
    }
    shape_.width = width;
    shape_.heads = heads_.value_or(width % 64 == 0 ? width / 64 : 1);
    if (!head_dim_ && width % shape_.heads != 0) {
      mistake("heads", fmt::format("D = {} does not divide by {} heads", width, shape_.heads),
              "change one of the two, or give head_dim");
      return;
    }
    shape_.head_dim = head_dim_.value_or(width / shape_.heads);
    shape_.head_dim_v = head_dim_v_.value_or(shape_.head_dim);
    shape_.kv_heads = kv_heads_.value_or(shape_.heads);
    if (shape_.heads % shape_.kv_heads != 0) {
      mistake("kv_heads",
              fmt::format("{} heads do not divide by {} kv_heads", shape_.heads, shape_.kv_heads),
              "give a divisor of heads");
    }
    shape_.ffn = ffn_.value_or(4 * width);
  }

  std::string pair_rule() const {
    std::string out = shape_.causal == CausalMask::kNone ? "every query with every key"
                                                         : "causal, " + choice_name(shape_.causal);
    if (shape_.window) out += fmt::format(", window {}", *shape_.window);
    return out;
  }

  LayerShape shape_;
  std::optional<std::int64_t> width_, heads_, kv_heads_, head_dim_, head_dim_v_, nq_, nk_, ffn_;
  std::vector<std::int64_t> n_{128, 1024, 8192};
  std::int64_t experts_ = 1, layers_ = 1;
  const ParameterList* parameters_ = nullptr;
};

}  // namespace

ExperimentInfo cost_experiment() {
  return {"cost",
          "where a layer's multiply-adds and bytes go, and the n from which attention dominates",
          "the lesson's third table: ratio n/(2D)",
          {"attnlab cost --D 768", "attnlab cost --D 4096 --kv-heads 8 --causal bottom-right",
           "attnlab cost --heads 16 --head-dim 64 --n 1024:65536:x4 --table parts --format csv"},
          [] { return std::unique_ptr<Experiment>(new Cost); }};
}

}  // namespace attnlab
