// What the softmax makes of attention rows: on words, as the lesson's widget, and on q and k from
// files, head by head. One point of the grid is a layer at a head size, scale and temperature.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "experiments/experiment.h"
#include "experiments/inspect_draws.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_output.h"
#include "experiments/inspect_point.h"
#include "experiments/inspect_settings.h"
#include "experiments/inspect_tables.h"
#include "io/tensor_file.h"

namespace attnlab {
namespace {

class Inspect : public Experiment {
 public:
  void declare(ParameterList& list) override {
    settings_.declare(list);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    sources_.clear();
    list_.reset();
    mask_ = {};
    const std::size_t before = mistakes.size();
    settings_.check(place, mistakes);
    if (mistakes.size() > before) return;
    try {
      open(place);
    } catch (const UserError& error) {
      mistakes.insert(mistakes.end(), error.mistakes().begin(), error.mistakes().end());
      return;
    }
    grid_ = settings_.points(sources_.size());
  }

  std::vector<Table> tables() const override { return inspect_tables(settings_, *parameters_); }

  std::vector<Point> points() const override {
    if (list_) return {{"list", 0, 0}};
    std::vector<Point> out;
    for (const InspectPoint& point : grid_) {
      const OperandShape shape = source_of(point).shape();
      const auto [bytes, seconds] = inspect_needs(settings_, point, shape, mask_.bytes());
      std::string label = point_text(settings_, point);
      if (sources_.size() > 1) {
        label = "layer " + cell_text(source_of(point).layer()) + (label.empty() ? "" : " ") + label;
      }
      out.push_back({label.empty() ? std::string("all") : label, bytes, seconds});
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t index, Table& table) const override {
    if (list_) return table.add_row();
    InspectPlace place{&grid_[index], source_of(grid_[index]).layer()};
    place.batch = place.head = std::string("all");
    return add_inspect_row(settings_, place, table);
  }

  void run(std::size_t index, RunContext& context, std::vector<Table>& tables) override {
    if (list_) return add_list(tables.front());
    const InspectPoint& point = grid_[index];
    // What is read from files is the same at each scale and temperature.
    const bool is_first =
        index == 0 || grid_[index - 1].layer != point.layer || grid_[index - 1].d != point.d;
    run_inspect_point(settings_, point, source_of(point), mask_, is_first, context.team,
                      context.watch, tables);
    if (settings_.draws > 0 && !context.watch.stopped()) {
      run_inspect_draws(settings_, point, context.team, context.watch, tables);
    }
  }

 private:
  // Opens what the settings name; UserError where that cannot be used.
  void open(const std::string& place) {
    if (settings_.input() == InspectInput::kList) {
      list_ = open_tensor_file(*settings_.list);
      return;
    }
    if (settings_.is_drawn()) {
      for (const std::int64_t d : settings_.d) {
        sources_.push_back(
            drawn_operands(settings_, d, static_cast<std::uint64_t>(settings_.seed)));
      }
    } else {
      sources_ = file_operands(settings_, place);
    }
    for (const auto& source : sources_) check_source(source->shape(), place);
    if (settings_.mask) mask_ = MaskData(*settings_.mask, sources_.front()->shape());
  }

  void check_source(const OperandShape& shape, const std::string& place) const {
    const std::vector<std::int64_t> rows = settings_.wanted_rows();
    if (!rows.empty() && rows.back() >= shape.nq) {
      throw UserError(child_place(place, "rows"), fmt::format("query {} is not there", rows.back()),
                      fmt::format("there are {}, from 0 to {}", shape.nq, shape.nq - 1));
    }
    if (settings_.mask) {
      const OperandShape& first = sources_.front()->shape();
      if (shape.batch != first.batch || shape.heads != first.heads || shape.nq != first.nq ||
          shape.nk != first.nk) {
        throw UserError(child_place(place, "mask"), "is one, but layers differ in shape",
                        "inspect them one by one");
      }
    }
    if (!settings_.write_output) return;
    if (!shape.dv) {
      throw UserError(child_place(place, "write_output"), "needs values",
                      "name them: v=NAME in --tensors, or --v FILE");
    }
    if (sources_.size() > 1) {
      throw UserError(child_place(place, "write_output"),
                      "is one file, but there are several layers", "name one layer");
    }
    check_output_file(*settings_.write_output);
  }

  OperandSource& source_of(const InspectPoint& point) const {
    if (!settings_.is_drawn()) return *sources_[point.layer];
    for (const auto& source : sources_) {
      if (source->shape().d == point.d) return *source;
    }
    return *sources_.front();
  }

  void add_list(Table& table) const {
    for (const TensorEntry& entry : list_->entries()) {
      auto row = table.add_row();
      row.set("name", entry.name).set("type", entry.type).set("shape", entry.shape);
      std::string why_not = entry.dtype ? "" : entry.refusal;
      if (why_not.empty()) {
        try {
          TensorHeads(list_, static_cast<std::size_t>(&entry - list_->entries().data()),
                      settings_.layout);
        } catch (const UserError& error) {
          why_not = error.mistakes().front().problem;
        }
      }
      row.set("operand", why_not.empty());
      if (!why_not.empty()) row.set("reason", why_not);
    }
    table.add_note(fmt::format("{}: {}, {} array{}.", printable(list_->path(), 200),
                               format_name(list_->format()), list_->entries().size(),
                               list_->entries().size() == 1 ? "" : "s"));
  }

  InspectSettings settings_;
  const ParameterList* parameters_ = nullptr;
  std::vector<std::unique_ptr<OperandSource>> sources_;
  std::shared_ptr<TensorFile> list_;
  MaskData mask_;
  std::vector<InspectPoint> grid_;
};

}  // namespace

ExperimentInfo inspect_experiment() {
  return {"inspect",
          "what the softmax makes of attention: on words, or on q and k from files",
          "the lesson's widget; Milakov & Gimelshein 2018; Xiao et al. 2023 (attention sinks)",
          {"attnlab inspect --tokens \"кот сел на коврик и уснул\"",
           "attnlab inspect --compare-scale --d 256 --draws 1000", "attnlab inspect --n 3 --d 4",
           "attnlab inspect --n 512 --heads 4 --causal bottom-right --sinks --map 16"},
          [] { return std::unique_ptr<Experiment>(new Inspect); },
          {.parameter = "map", .value = 64}};
}

}  // namespace attnlab
