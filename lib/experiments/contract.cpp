// The index view of a contraction: which indices stay and which are summed, the result's shape,
// elements, multiply-adds and operations an element, by which BLAS call it is done, bytes and
// intensity; and, asked for, its time. One point is one expression with its sizes: the user's, or
// the lesson's three at one n, heads and d.
//   scores      bhqd,bhkd->bhqk     q k^T of every head
//   output      bhqk,bhkd->bhqd     weights times values
//   projection  bnm,mhd->bnhd       a token's heads, m = heads x d
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/parameter.h"
#include "base/text.h"
#include "experiments/contract_measure.h"
#include "experiments/contract_request.h"
#include "experiments/contract_tables.h"
#include "experiments/experiment.h"

namespace attnlab {
namespace {

constexpr double kLargestSize = 1e9;
const std::vector<std::string> kPresets{"scores", "output", "projection"};

struct ContractPoint {
  std::string preset;  // "" for the user's expression
  std::int64_t n = 0, heads = 0, d = 0;
  std::string expression;
  Contraction contraction{};
  ContractionPlan plan{};
};

ContractRequest preset_request(const std::string& preset, std::int64_t batch, std::int64_t n,
                               std::int64_t heads, std::int64_t d) {
  if (preset == "projection") {
    return {"bnm,mhd->bnhd", fmt::format("b={},n={},m={},h={},d={}", batch, n, heads * d, heads, d),
            ""};
  }
  return {preset == "scores" ? "bhqd,bhkd->bhqk" : "bhqk,bhkd->bhqd",
          fmt::format("b={},h={},q={},d={},k={}", batch, heads, n, d, n), ""};
}

class Contract : public Experiment {
 public:
  void declare(ParameterList& list) override {
    list.add("expression", expression_, "indices of the operands and of the result, as einsum's")
        .unset("(presets)");
    list.add("size", sizes_, "sizes of the indices: b=1,h=12,...").unset("none");
    list.add("shapes", shapes_, "shapes of the operands instead: 1x12x64x64,1x12x64x64")
        .unset("none");
    list.add("presets", presets_, "the lesson's expressions, which follow n, heads and d")
        .one_of(kPresets);
    list.add("n", n_, "of the presets: queries and keys").range(1, kLargestSize);
    list.add("heads", heads_, "of the presets: heads").range(1, kLargestSize);
    list.add("d", d_, "of the presets: size of a head").range(1, kLargestSize);
    list.add("batch", batch_, "of the presets: sequences").range(1, kLargestSize);
    list.add("measure", measure_, "carries it out in float32, by BLAS, and tells time and FLOP/s");
    list.add("repeats", repeats_, "of --measure: samples of the time")
        .range(1, 1e6)
        .quick(10, 2)
        .quick_if(measure_);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    points_.clear();
    if (expression_) {
      prepare_expression(place, mistakes);
      return;
    }
    for (const char* name : {"size", "shapes"}) {
      if (!(name == std::string("size") ? sizes_ : shapes_)) continue;
      mistakes.push_back(
          {child_place(place, name), "there is no expression", "name one, as 'ij,jk->ik'"});
    }
    for (const std::string& preset : presets_) {
      for (const std::int64_t n : n_) {
        for (const std::int64_t heads : heads_) {
          for (const std::int64_t d : d_) {
            const ContractRequest request = preset_request(preset, batch_, n, heads, d);
            if (auto read = read_contraction(request, place, mistakes)) {
              ContractionPlan plan = plan_contraction(*read);
              points_.push_back(
                  {preset, n, heads, d, request.expression, std::move(*read), std::move(plan)});
            }
          }
        }
      }
    }
  }

  std::vector<Table> tables() const override {
    return contract_tables(*parameters_, expression_.has_value(), measure_);
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const ContractPoint& point : points_) {
      Point& one = out.emplace_back();
      one.label = point.preset.empty() ? printable(point.expression)
                                       : fmt::format("{} n={} heads={} d={}", point.preset, point.n,
                                                     point.heads, point.d);
      if (!measure_) continue;
      constexpr double kTypicalRate = 2e10;  // FLOP/s of a core
      one.bytes = measured_bytes(point.contraction, point.plan);
      one.seconds = (2.0 * static_cast<double>(point.plan.macs) + one.bytes) / kTypicalRate *
                    static_cast<double>(repeats_ + 2);
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t index, Table& table) const override {
    const ContractPoint& point = points_[index];
    Table::RowWriter row = table.add_row();
    if (point.preset.empty() && table.index_of("expression") >= 0) {
      row.set("expression", point.expression).set("sizes", sizes_text(point.contraction));
    } else if (!point.preset.empty()) {
      row.set("preset", point.preset)
          .set("n", point.n)
          .set("heads", point.heads)
          .set("d", point.d)
          .set("batch", batch_);
    }
    return row;
  }

  void run(std::size_t index, RunContext& context, std::vector<Table>& tables) override {
    const ContractPoint& point = points_[index];
    ContractTiming timing;
    if (measure_) {
      timing =
          measure_contraction(point.contraction, point.plan, repeats_, context.team, context.watch);
      if (context.watch.stopped()) return;
    }
    write_counts(index, timing, tables[kContractTable]);
    for (const ContractionIndex& one : point.contraction.indices) {
      add_row(index, tables[kIndicesTable])
          .set("index", one.name)
          .set("size", one.size)
          .set("role", one.stays ? "stays" : "summed");
    }
    write_steps(index, tables);
  }

 private:
  // A printed config spells out every value, so that being given means nothing.
  bool is_changed(const char* name) const {
    const Parameter& parameter = parameters_->at(name);
    return parameter.value() != parameter.default_value();
  }

  void prepare_expression(const std::string& place, std::vector<Mistake>& mistakes) {
    const auto both = [&](const char* name, const char* other) {
      mistakes.push_back({child_place(place, name), std::string("stands beside ") + other,
                          "leave one of the two out"});
    };
    for (const char* name : {"presets", "n", "heads", "d", "batch"}) {
      if (is_changed(name)) both(name, "an expression, which has its own sizes");
    }
    if (sizes_ && shapes_) return both("shapes", "size");
    const ContractRequest request{*expression_, sizes_.value_or(""), shapes_.value_or(""),
                                  shapes_.has_value()};
    auto read = read_contraction(request, place, mistakes);
    if (!read) return;
    ContractionPlan plan = plan_contraction(*read);
    points_.push_back({"", 0, 0, 0, *expression_, std::move(*read), std::move(plan)});
  }

  void write_counts(std::size_t index, const ContractTiming& timing, Table& table) const {
    const ContractPoint& point = points_[index];
    const ContractionPlan& plan = point.plan;
    const std::int64_t elements = point.contraction.elements;
    const std::int64_t bytes = 4 * point.contraction.elements_moved();
    Table::RowWriter row = add_row(index, table);
    if (!point.preset.empty()) row.set("expression", point.expression);
    row.set("result_shape", point.contraction.result_shape())
        .set("elements", elements)
        .set("macs", plan.macs);
    if (plan.macs % elements == 0) {
      row.set("macs_per_element", plan.macs / elements);
    } else {
      row.set("macs_per_element", static_cast<double>(plan.macs) / static_cast<double>(elements));
    }
    row.set("additions", plan.additions)
        .set("blas", blas_text(plan))
        .set("bytes", bytes)
        .set("intensity", 2.0 * static_cast<double>(plan.macs) / static_cast<double>(bytes));
    if (!measure_) return;
    row.set("status", timing.status);
    if (!timing.reason.empty()) row.set("reason", timing.reason);
    row.set("max_error", timing.max_error);
    if (timing.samples.empty()) return;
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    const double rate = 2.0 * static_cast<double>(plan.macs) / timing.seconds;
    row.set("time", timing.seconds)
        .set("time_low", timing.interval ? timing.interval->low : kNothing)
        .set("time_high", timing.interval ? timing.interval->high : kNothing)
        .set("flops_per_second", plan.macs > 0 ? rate : kNothing)
        .set("peak_share", plan.macs > 0 ? rate / timing.peak : kNothing);
    row.row().time_samples = {timing.samples};
    table.add_note(fmt::format("{}: {} of {} elements were held against plain loops.",
                               points()[index].label, timing.checked, elements));
  }

  static std::string blas_text(const ContractionPlan& plan) {
    std::vector<std::string> calls;
    for (const ContractionStep& step : plan.steps) calls.emplace_back(blas_call_name(step.call));
    return calls.empty() ? "none" : join(calls, " + ");
  }

  void write_steps(std::size_t index, std::vector<Table>& tables) const {
    const ContractPoint& point = points_[index];
    const Contraction& contraction = point.contraction;
    const auto indices = [&](const std::vector<int>& list) {
      return indices_text(contraction, list);
    };
    const std::size_t count = contraction.operands.size();
    const auto operand = [&](int number) {
      const auto n = static_cast<std::size_t>(number);
      return indices(n < count ? contraction.operands[n] : point.plan.steps[n - count].result());
    };
    std::string order;
    for (std::size_t s = 0; s < point.plan.steps.size(); ++s) {
      const ContractionStep& step = point.plan.steps[s];
      const std::string left = operand(step.left), right = operand(step.right);
      const bool is_last = s + 1 == point.plan.steps.size();
      const std::string result = indices(is_last ? contraction.output : step.result());
      add_row(index, tables[kStepsTable])
          .set("step", static_cast<std::int64_t>(s + 1))
          .set("left", left)
          .set("right", right)
          .set("result", result)
          .set("summed", step.summed.empty() ? "none" : indices(step.summed))
          .set("blas", blas_call_name(step.call))
          .set("macs", step.macs);
      order += fmt::format("{}{},{}->{} ({}, {} multiply-adds)", s == 0 ? "" : ", then ", left,
                           right, result, blas_call_name(step.call), step.macs);
    }
    if (point.plan.steps.size() < 2) return;
    tables[kContractTable].add_note(
        fmt::format("{}: in pairs, {} order: {}.", points()[index].label,
                    count <= kExhaustiveOperands ? "the cheapest" : "a cheap", order));
  }

  std::optional<std::string> expression_, sizes_, shapes_;
  std::vector<std::string> presets_ = kPresets;
  std::vector<std::int64_t> n_{64}, heads_{12}, d_{64};
  std::int64_t batch_ = 1, repeats_ = 10;
  bool measure_ = false;
  std::vector<ContractPoint> points_;
  const ParameterList* parameters_ = nullptr;
};

}  // namespace

ExperimentInfo contract_experiment() {
  return {"contract",
          "index roles, result shape, multiply-adds and BLAS call of a contraction",
          "the lesson's index view of the two contractions; numpy.einsum for the notation",
          {"attnlab contract 'bhqd,bhkd->bhqk' --size b=1,h=12,q=64,d=64,k=64",
           "attnlab contract 'ij,jk,kl->il' --shapes 2x1000,1000x2,2x1000",
           "attnlab contract --presets scores,output --n 64:1024:x4 --measure"},
          [] { return std::unique_ptr<Experiment>(new Contract); },
          {},
          true,
          "expression"};
}

}  // namespace attnlab
