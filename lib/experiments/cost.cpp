// Where the multiply-adds and bytes of a layer go, and from which n attention outweighs the linear
// work. Everything follows from the shape, given by sizes or read from model files: one point a
// sequence length and model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/parameter.h"
#include "cost/layer.h"
#include "experiments/cost_measure.h"
#include "experiments/cost_tables.h"
#include "experiments/experiment.h"
#include "machine/machine.h"

namespace attnlab {
namespace {

constexpr double kLargestSize = 1e9;
constexpr const char* kNoModel = "none";

// The name under which a model stands in the tables: its file's, or, where that is the usual
// config.json, its folder's.
std::string model_name(const std::string& path) {
  const std::filesystem::path file(path);
  if (file.filename() == "config.json" && file.has_parent_path()) {
    return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string();
  }
  return file.extension() == ".json" ? file.stem().string() : file.filename().string();
}

class Cost : public Experiment {
 public:
  void declare(ParameterList& list) override {
    list.add("model", models_, "config.json files of models, Hugging Face style; none: sizes below")
        .file();
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
    list.add("batch", batch_, "sequences").range(1, kLargestSize);
    list.add("causal", causal_, "which keys a query sees; none counts full pairs");
    list.add("window", window_, "keys a query sees around (causal: up to) its own place")
        .range(1, kLargestSize)
        .unset("none");
    list.add("ffn", ffn_, "width of the feed-forward layer").range(0, kLargestSize).unset("4D");
    list.add("ffn_gated", ffn_gated_, "a gated feed-forward layer: three matrices, not two");
    list.add("experts", experts_, "feed-forward experts").range(1, 1e6);
    list.add("active_experts", active_experts_, "experts that a token goes through").range(1, 1e6);
    list.add("layers", layers_, "layers of this shape in the model").range(1, 1e6);
    list.add("dtype", storage_, "type of scores, KV-cache and operands, for the bytes");
    measurement_.declare(list);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    const std::size_t before = mistakes.size();
    subjects_.clear();
    if (has_models()) {
      refuse_sizes(place, mistakes);
      for (const std::string& path : models_) read_model(path, mistakes);
    } else {
      subjects_.push_back({"", explicit_shape(place, mistakes)});
    }
    if (mistakes.size() > before) return;
    for (CostSubject& subject : subjects_) {
      for (LayerType& type : subject.shape.types) {
        type.shape.batch = batch_;
        type.shape.causal = causal_;
        type.shape.storage = storage_;
      }
    }
    if (measurement_.measure && nq_ && nk_ && n_.size() > 1) {
      mistakes.push_back({child_place(place, "n"),
                          "is several beside nq and nk: with measure its points would be the same",
                          "give one n, or leave out nq or nk"});
    }
    check_counts(place, mistakes);
  }

  std::vector<Table> tables() const override {
    return cost_tables(*parameters_, has_models(), measurement_.measure);
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    const int threads = usable_threads(read_machine());
    for (const CostSubject& subject : subjects_) {
      const std::string model = subject.name.empty() ? "" : fmt::format("model={} ", subject.name);
      for (const std::int64_t n : n_) {
        Point& point = out.emplace_back(Point{fmt::format("{}n={}", model, n)});
        if (!measurement_.measure) continue;
        for (const LayerType& type : subject.shape.types) {  // one after the other
          const CostMeasureNeeds needs =
              measure_needs(measurement_, type, point_of(out.size() - 1), threads);
          point.bytes = std::max(point.bytes, needs.bytes);
          point.seconds += needs.seconds;
        }
      }
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    const CostSubject& subject = subject_of(point);
    Table::RowWriter row = table.add_row();
    if (!subject.name.empty()) row.set("model", subject.name);
    row.set("layer_type", subject.shape.types.front().name)
        .set("layers", subject.shape.types.front().layers)
        .set("n", point_of(point).n);
    return row;
  }

  void run(std::size_t point, RunContext& context, std::vector<Table>& tables) override {
    add_rows(point, tables);
    if (!measurement_.measure) return;
    add_measured_rows(measurement_, subject_of(point), point_of(point), context, tables);
  }

  bool finish_changes_rows() const override { return measurement_.measure; }

  void finish(std::vector<Table>& tables) override {
    for (const CostSubject& subject : subjects_) {
      add_shape_rows(subject, tables[CostTables::kShapes]);
      if (has_models()) add_key_rows(subject, tables[CostTables::kKeys]);
      add_cost_notes(subject, tables[CostTables::kCost]);
    }
    add_table_notes(tables);
    if (measurement_.measure) finish_measured(subjects_, tables);
    if (!has_models()) return;
    for (std::size_t i = 0; i < n_.size(); ++i) {  // the models under each other
      for (std::size_t s = 0; s < subjects_.size(); ++s) {
        add_comparison_row(subjects_[s], point_of(s * n_.size() + i),
                           tables[CostTables::kComparison]);
      }
    }
    tables[CostTables::kComparison].is_detail = subjects_.size() < 2;
  }

 private:
  bool has_models() const { return models_ != std::vector<std::string>{kNoModel}; }
  const CostSubject& subject_of(std::size_t point) const { return subjects_[point / n_.size()]; }
  CostPoint point_of(std::size_t point) const {
    const std::int64_t n = n_[point % n_.size()];
    return {n, nq_.value_or(n), nk_.value_or(n)};
  }

  void add_rows(std::size_t point, std::vector<Table>& tables) const {
    const CostSubject& subject = subject_of(point);
    const CostPoint at = point_of(point);
    add_cost_rows(subject, at, tables);
    add_phase_rows(subject, at.n, tables[CostTables::kPhases]);
    add_cache_rows(subject, at.n, tables[CostTables::kCache]);
    add_training_rows(subject, at.n, tables[CostTables::kTraining]);
  }

  // Makes every row once to see whether its counts fit.
  void check_counts(const std::string& place, std::vector<Mistake>& mistakes) const {
    std::vector<Table> scratch = tables();
    for (std::size_t point = 0; point < subjects_.size() * n_.size(); ++point) {
      for (Table& table : scratch) table.rows.clear();
      try {
        add_rows(point, scratch);
        add_shape_rows(subject_of(point), scratch[CostTables::kShapes]);
        if (has_models()) {
          add_comparison_row(subject_of(point), point_of(point), scratch[CostTables::kComparison]);
        }
      } catch (const CountTooLarge&) {
        const std::string& model = subject_of(point).name;
        mistakes.push_back(
            {child_place(place, "n"),
             fmt::format("n = {} gives counts of 2^63 and more with {}", point_of(point).n,
                         model.empty() ? "these sizes" : "the sizes of " + model),
             "choose smaller sizes"});
      }
    }
  }

  void read_model(const std::string& path, std::vector<Mistake>& mistakes) {
    if (path == kNoModel) {
      mistakes.push_back({"model", "none stands beside other files", "leave it out"});
      return;
    }
    try {
      ModelConfig config = read_model_config(path);
      std::string name = model_name(path);
      const bool is_taken = std::any_of(subjects_.begin(), subjects_.end(),
                                        [&](const CostSubject& one) { return one.name == name; });
      subjects_.push_back(
          {is_taken ? path : name, std::move(config.shape), std::move(config.notes)});
    } catch (const UserError& error) {  // the other files are still read for their mistakes
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
    }
  }

  // A model has sizes of its own.
  void refuse_sizes(const std::string& place, std::vector<Mistake>& mistakes) const {
    const std::pair<const char*, bool> given[] = {{"D", width_.has_value()},
                                                  {"heads", heads_.has_value()},
                                                  {"kv_heads", kv_heads_.has_value()},
                                                  {"head_dim", head_dim_.has_value()},
                                                  {"ffn", ffn_.has_value()},
                                                  {"head_dim_v", head_dim_v_.has_value()},
                                                  {"window", window_.has_value()},
                                                  {"ffn_gated", ffn_gated_},
                                                  {"experts", experts_ != 1},
                                                  {"active_experts", active_experts_ != 1},
                                                  {"layers", layers_ != 1}};
    for (const auto& [name, is_given] : given) {
      if (!is_given) continue;
      mistakes.push_back({child_place(place, name), "stands beside model, whose file has its own",
                          "leave one of the two out"});
    }
  }

  ModelShape explicit_shape(const std::string& place, std::vector<Mistake>& mistakes) const {
    const auto mistake = [&](const char* key, std::string problem, std::string remedy) {
      mistakes.push_back({child_place(place, key), std::move(problem), std::move(remedy)});
      return ModelShape();
    };
    LayerShape shape;
    shape.width = width_.value_or(768);
    if (!width_ && heads_ && head_dim_) shape.width = *heads_ * *head_dim_;
    if (shape.width > static_cast<std::int64_t>(kLargestSize)) {
      return mistake("D", fmt::format("heads x head_dim = {} is too large", shape.width),
                     "choose smaller sizes");
    }
    shape.heads = heads_.value_or(shape.width % 64 == 0 ? shape.width / 64 : 1);
    if (!head_dim_ && shape.width % shape.heads != 0) {
      return mistake("heads",
                     fmt::format("D = {} does not divide by {} heads", shape.width, shape.heads),
                     "change one of the two, or give head_dim");
    }
    shape.head_dim = head_dim_.value_or(shape.width / shape.heads);
    shape.head_dim_v = head_dim_v_.value_or(shape.head_dim);
    shape.kv_heads = kv_heads_.value_or(shape.heads);
    if (shape.heads % shape.kv_heads != 0) {
      mistake("kv_heads",
              fmt::format("{} heads do not divide by {} kv_heads", shape.heads, shape.kv_heads),
              "give a divisor of heads");
    }
    if (active_experts_ > experts_) {
      mistake("active_experts",
              fmt::format("{} is more than the {} experts", active_experts_, experts_),
              "raise experts");
    }
    const std::int64_t ffn = ffn_.value_or(4 * shape.width);
    shape.ffn = FeedForwardShape{ffn_gated_};
    if (experts_ > 1) {
      shape.ffn.expert = ffn;
      shape.ffn.experts = experts_;
      shape.ffn.active_experts = active_experts_;
    } else {
      shape.ffn.dense = ffn;
    }
    shape.reach.window = window_;
    ModelShape out;
    out.width = shape.width;
    out.types = {{"attention", layers_, shape}};
    return out;
  }

  std::vector<std::string> models_{kNoModel};
  std::optional<std::int64_t> width_, heads_, kv_heads_, head_dim_, head_dim_v_, nq_, nk_, ffn_;
  std::optional<std::int64_t> window_;
  std::vector<std::int64_t> n_{128, 1024, 8192};
  Causal causal_ = Causal::kNone;
  StorageType storage_ = StorageType::kF32;
  CostMeasureSettings measurement_;
  bool ffn_gated_ = false;
  std::int64_t batch_ = 1, experts_ = 1, active_experts_ = 1, layers_ = 1;
  std::vector<CostSubject> subjects_;
  const ParameterList* parameters_ = nullptr;
};

}  // namespace

ExperimentInfo cost_experiment() {
  return {"cost",
          "where a layer's multiply-adds and bytes go, and the n from which attention dominates",
          "the lesson's third table: ratio n/(2D)",
          {"attnlab cost --D 768", "attnlab cost --D 4096 --kv-heads 8 --causal bottom-right",
           "attnlab cost --model configs/models/grouped.json --n 8192 --dtype bf16",
           "attnlab cost --heads 16 --head-dim 64 --n 1024:65536:x4 --table parts --format csv",
           "attnlab cost --D 768 --n 128,512 --measure"},
          [] { return std::unique_ptr<Experiment>(new Cost); },
          {},
          true};
}

}  // namespace attnlab
