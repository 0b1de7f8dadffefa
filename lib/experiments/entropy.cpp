// Spread, entropy, maximum weight and gradient scale of one softmax row, with and without the
// scale. One point a combination of d, keys, scale and temperature; all of them see the same draws.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analysis/trial_statistics.h"
#include "base/parameter.h"
#include "experiments/choices.h"
#include "experiments/experiment.h"
#include "machine/machine.h"
#include "random/scores.h"

namespace attnlab {
namespace {

struct Quantity {
  std::string name, help, unit;
  std::vector<double> TrialStatistics::*of_trials;
};

const std::array<Quantity, 4>& quantities() {
  static const std::array<Quantity, 4> kQuantities = {{
      {"spread", "largest minus smallest score, as the softmax sees them", "",
       &TrialStatistics::spread},
      {"entropy", "entropy of the row of weights", "bit", &TrialStatistics::entropy},
      {"max_weight", "largest weight of the row", "", &TrialStatistics::max_weight},
      {"gradient_scale", "largest p(1-p): how much gradient the softmax lets through", "",
       &TrialStatistics::gradient_scale},
  }};
  return kQuantities;
}

std::string percentile_suffix(double percentile) { return fmt::format("_p{:02.0f}", percentile); }

class Entropy : public Experiment {
 public:
  void declare(ParameterList& list) override {
    list.add("d", d_, "size of a head: the number of components of q and k").range(1, 1 << 24);
    list.add("keys", keys_, "keys in the row").range(1, 1 << 20);
    list.add("scale", scale_, "what scores are multiplied by: 1/sqrt(d), 1, 1/d or a number");
    list.add("temperature", temperature_,
             "what scaled scores are divided by; 0 is the argmax limit")
        .range(0, 1e300);
    list.add("trials", trials_, "rows drawn; from 2 on, means and percentiles")
        .range(1, 1e12)
        .quick(10, 2);
    list.add("design", design_, "one query against the keys, or a new query for every key");
    list.add("rng", rng_, "generator: philox, or the lesson's own mulberry32");
    list.add("seed", seed_, "seed of the generator").range(0, kLargestSeed);
    list.add("locate", locate_, "with one trial: tell where it lies among this many others")
        .range(0, 1e12)
        .quick(10, 2);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    grid_.clear();
    for (const std::int64_t d : d_) {
      for (const std::int64_t keys : keys_) {
        for (const ScaleRule& scale : scale_) {
          for (const double temperature : temperature_) {
            grid_.push_back(
                {{design_, d, keys, rng_, static_cast<std::uint64_t>(seed_)}, scale, temperature});
          }
        }
      }
    }
    threads_ = usable_threads(read_machine());
    check_seed(rng_, seed_, place, mistakes);
    if (locate_ > 0 && trials_ > 1) {
      mistakes.push_back({child_place(place, "locate"),
                          "needs a single run, but there are more trials",
                          "leave out locate or trials"});
    }
  }

  std::vector<Table> tables() const override {
    std::vector<Column> columns;
    for (const char* name : {"d", "keys", "scale", "temperature", "trials"}) {
      columns.push_back(parameter_column(*parameters_, name));
    }
    const Tolerance same{1e-6, 1e-9, ""};
    for (const Quantity& quantity : quantities()) {
      const std::string mean_of = trials_ > 1 ? "mean over trials: " : "";
      columns.push_back({.name = quantity.name,
                         .help = mean_of + quantity.help,
                         .unit = quantity.unit,
                         .tolerance = same});
      if (trials_ > 1) {
        columns.push_back({.name = quantity.name + "_se",
                           .help = "standard error of the mean " + quantity.name,
                           .unit = quantity.unit,
                           .tolerance = same});
        for (const double p : kPercentiles) {
          columns.push_back(
              {.name = quantity.name + percentile_suffix(p),
               .help = fmt::format("{:.0f} % of the trials have less {}", p, quantity.name),
               .unit = quantity.unit,
               .tolerance = same});
        }
      } else if (locate_ > 0) {
        columns.push_back({.name = quantity.name + "_percentile",
                           .help = fmt::format("share of {} other runs with less {}, 0..100, ties "
                                               "counted half",
                                               locate_, quantity.name),
                           .unit = "%",
                           .tolerance = {0, 1e-3, ""}});
        columns.push_back({.name = quantity.name + "_mean",
                           .help = "mean " + quantity.name + " of those other runs",
                           .unit = quantity.unit,
                           .tolerance = same});
      }
    }
    columns.push_back(status_column());
    columns.push_back(reason_column());
    return {Table("entropy", "entropy", std::move(columns))};
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const Setting& s : grid_) {
      const std::int64_t rows = std::max(trials_, locate_);
      const double rate = rng_ == Rng::kMulberry32 && trials_ > 1 ? 3e7 : 5e8;  // a typical core
      const double normals = (s.scores.design == Design::kShared ? 1.0 : 2.0) *
                             static_cast<double>(s.scores.d) * static_cast<double>(s.scores.keys) *
                             static_cast<double>(rows);
      out.push_back({fmt::format("d={} keys={} scale={} temperature={}", s.scores.d, s.scores.keys,
                                 cell_text(scale_cell(s.scale)), s.temperature),
                     trial_statistics_bytes(s.scores, rows, threads_), normals / rate});
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    const Setting& s = grid_[point];
    Table::RowWriter row = table.add_row();
    row.set("d", s.scores.d)
        .set("keys", s.scores.keys)
        .set("scale", scale_cell(s.scale))
        .set("temperature", s.temperature)
        .set("trials", trials_);
    return row;
  }

  void run(std::size_t point, RunContext& context, std::vector<Table>& tables) override {
    const Setting& s = grid_[point];
    const double factor = s.scale.factor(static_cast<double>(s.scores.d));
    const auto trials_of = [&](const ScoreSettings& scores, std::int64_t count) {
      return run_trials(scores, factor, s.temperature, count, context.team, context.watch);
    };
    const TrialStatistics own = trials_of(s.scores, trials_);
    TrialStatistics others;
    if (locate_ > 0) others = trials_of(others_of(s.scores), locate_);
    if (context.watch.stopped()) return;

    Table::RowWriter row = add_row(point, tables.front());
    if (s.temperature == 0) row.set("reason", "spread: infinite at temperature 0");
    for (const Quantity& quantity : quantities()) {
      const std::vector<double>& values = own.*quantity.of_trials;
      if (trials_ == 1) {
        row.set(quantity.name, values[0]);
        if (locate_ > 0) {
          row.set(quantity.name + "_percentile",
                  percentile_rank(others.*quantity.of_trials, values[0]))
              .set(quantity.name + "_mean", summarize(others.*quantity.of_trials).mean);
        }
        continue;
      }
      const Summary summary = summarize(values);
      row.set(quantity.name, summary.mean).set(quantity.name + "_se", summary.standard_error);
      for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
        row.set(quantity.name + percentile_suffix(kPercentiles[i]), summary.percentiles[i]);
      }
    }
  }

  // Says where a located run lies, and whether its gradient scale goes the usual way with the
  // scale.
  void finish(std::vector<Table>& tables) override {
    if (locate_ == 0) return;
    Table& table = tables.front();
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Row& row = table.rows[i];
      if (table.at(row, "status") != Cell(std::string("ok"))) continue;
      table.add_note(placement(table, row));
      if (i > 0) {
        const std::string turn = gradient_note(table, table.rows[i - 1], row);
        if (!turn.empty()) table.add_note(turn);
      }
    }
  }

 private:
  static std::optional<double> number(const Table& table, const Row& row, const std::string& name) {
    const auto* value = std::get_if<double>(&table.at(row, name));
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  std::string placement(const Table& table, const Row& row) const {
    constexpr double kRareBelow = 10, kRareAbove = 90;  // percent
    std::string places;
    bool rare = false;
    for (const Quantity& quantity : quantities()) {
      const auto percentile = number(table, row, quantity.name + "_percentile");
      if (!percentile) continue;
      rare = rare || *percentile < kRareBelow || *percentile > kRareAbove;
      places += fmt::format("{}{} {:.1f}", places.empty() ? "" : ", ", quantity.name, *percentile);
    }
    return fmt::format(
        "scale {}: percentiles among {} runs of the same design: {}. This run is {}.",
        cell_text(table.at(row, "scale")), locate_, places,
        rare ? "atypical: one of them lies outside 10..90" : "typical");
  }

  // What the step from one scale to the next does to the gradient scale, where this run and the
  // average of the others disagree; "" otherwise.
  static std::string gradient_note(const Table& table, const Row& before, const Row& after) {
    for (const char* same : {"d", "keys", "temperature"}) {
      if (table.at(before, same) != table.at(after, same)) return "";
    }
    const auto from = number(table, before, "gradient_scale"),
               to = number(table, after, "gradient_scale");
    const auto mean_from = number(table, before, "gradient_scale_mean");
    const auto mean_to = number(table, after, "gradient_scale_mean");
    if (!from || !to || !mean_from || !mean_to) return "";
    if ((*to < *from) == (*mean_to < *mean_from)) return "";
    return fmt::format(
        "From scale {} to {} the gradient scale {} in this run ({:.3f} to {:.3f}), although on "
        "average "
        "it {} ({:.4f} to {:.4f}).",
        cell_text(table.at(before, "scale")), cell_text(table.at(after, "scale")),
        *to < *from ? "falls" : "rises", *from, *to, *mean_to < *mean_from ? "falls" : "rises",
        *mean_from, *mean_to);
  }

  struct Setting {
    ScoreSettings scores;
    ScaleRule scale;
    double temperature;
  };

  static Cell scale_cell(const ScaleRule& scale) {
    const Json value = ParameterType<ScaleRule>::to(scale);
    return value.is_string() ? Cell(value.get<std::string>()) : Cell(value.get<double>());
  }

  // The runs that a single one is held against come from the fast generator and another stream.
  static ScoreSettings others_of(ScoreSettings scores) {
    if (scores.rng == Rng::kPhilox) scores.seed ^= std::uint64_t{1} << 63;
    scores.rng = Rng::kPhilox;
    return scores;
  }

  std::vector<std::int64_t> d_{64};
  std::vector<std::int64_t> keys_{8};
  std::vector<ScaleRule> scale_{{ScaleRule::Rule::kNone, 1}, {ScaleRule::Rule::kSqrt, 1}};
  std::vector<double> temperature_{1};
  std::int64_t trials_ = 1;
  Design design_ = Design::kShared;
  Rng rng_ = Rng::kPhilox;
  std::int64_t seed_ = 1;
  std::int64_t locate_ = 0;

  const ParameterList* parameters_ = nullptr;
  std::vector<Setting> grid_;
  int threads_ = 1;  // at most that many, unless more than CPUs are asked for
};

}  // namespace

ExperimentInfo entropy_experiment() {
  return {"entropy",
          "spread, row entropy, maximum weight and gradient scale, with and without the scale",
          "the lesson's second table; Vaswani et al., 2017, section 3.2.1",
          {"attnlab entropy --rng mulberry32 --seed 5 --design fresh",
           "attnlab entropy --d 64,256 --trials 10000", "attnlab entropy --temperature 0.5:2:x2"},
          [] { return std::unique_ptr<Experiment>(new Entropy); }};
}

}  // namespace attnlab
