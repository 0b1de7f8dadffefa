// Variance of q.k against the size d of a head: it is d, whatever the law of the components, and
// 1/sqrt(d) undoes it. One point a combination of d and law.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/parameter.h"
#include "experiments/choices.h"
#include "experiments/experiment.h"
#include "random/dot_product.h"
#include "random/dot_product_theory.h"

namespace attnlab {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // the 97.5 % quantile of the standard normal

class Variance : public Experiment {
 public:
  void declare(ParameterList& list) override {
    list.add("d", d_, "size of a head: the number of components of q and k").range(1, 1 << 24);
    list.add("samples", samples_, "samples of q.k for each d").range(2, 1e15).quick(10, 2);
    list.add("law", law_, "law of the components, of variance 1 before the means");
    list.add("df", df_, "degrees of freedom of student-t").above(2);
    list.add("mean_q", mean_q_, "mean of the components of q").range(-1e6, 1e6);
    list.add("mean_k", mean_k_, "mean of the components of k").range(-1e6, 1e6);
    list.add("tied", tied_, "k = q, with the mean of q");
    list.add("rng", rng_, "generator: philox, or the lesson's own mulberry32");
    list.add("seed", seed_, "seed of the generator").range(0, kLargestSeed);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    grid_.clear();
    for (const std::int64_t d : d_) {
      for (const Law law : law_) {
        grid_.push_back(
            {law, df_, mean_q_, mean_k_, tied_, d, rng_, static_cast<std::uint64_t>(seed_)});
      }
    }
    check_seed(rng_, seed_, place, mistakes);
    if (tied_ && mean_k_ != 0) {
      mistakes.push_back({child_place(place, "mean_k"), "has no meaning with tied",
                          "leave it out: k = q has the mean of q"});
    }
  }

  std::vector<Table> tables() const override {
    std::vector<Column> columns =
        common_columns("q.k", "d for independent, centred components of variance 1");
    columns.push_back({.name = "scaled_variance",
                       .help = "variance / d: the variance once q.k is divided by sqrt(d)",
                       .tolerance = {1e-6, 0, ""}});
    columns.push_back(status_column());
    columns.push_back(reason_column());
    Table scaled("scaled", "variance", common_columns("q.k / sqrt(d)", "1 for such components"));
    scaled.is_detail = true;
    return {Table("variance", "variance", std::move(columns)), std::move(scaled)};
  }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const DotProductSettings& settings : grid_) {
      const double normals = 2.0 * static_cast<double>(settings.d) * static_cast<double>(samples_);
      const double rate = settings.rng == Rng::kMulberry32 ? 3e7 : 5e8;  // a typical core
      std::string label = fmt::format("d={}", settings.d);
      if (law_.size() > 1) label += " law=" + choice_name(settings.law);
      out.push_back({std::move(label), 1e6, normals / rate});
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    Table::RowWriter row = table.add_row();
    row.set("d", grid_[point].d).set("samples", samples_);
    if (law_.size() > 1) row.set("law", choice_name(grid_[point].law));
    return row;
  }

  void run(std::size_t point, RunContext& context, std::vector<Table>& tables) override {
    const DotProductSettings& settings = grid_[point];
    const CentralMoments moments =
        sample_dot_products(settings, samples_, context.team, context.watch);
    if (context.watch.stopped()) return;
    const DotProductTheory theory = dot_product_theory(settings);
    const auto error = variance_standard_error(theory, samples_, moments.excess_kurtosis());
    const auto d = static_cast<double>(settings.d);
    write(add_row(point, tables[0]), moments, theory, error, 1)
        .set("scaled_variance", moments.variance(0) / d)
        .set("reason", theory.reason.empty() ? Cell() : Cell(theory.reason));
    write(add_row(point, tables[1]), moments, theory, error, 1 / std::sqrt(d));
  }

 private:
  // The columns of both tables: q.k as it is, and after the scale.
  std::vector<Column> common_columns(const std::string& of, const std::string& prediction) const {
    // On another instruction set sums are rounded otherwise: 1e-6 relative; what is centred on a
    // small value, in its own standard errors.
    const double root = std::sqrt(static_cast<double>(samples_));
    const Tolerance same{1e-6, 0, ""}, ends{0, 1e-3, "variance_se"};
    std::vector<Column> columns{parameter_column(*parameters_, "d")};
    if (law_.size() > 1) columns.push_back(parameter_column(*parameters_, "law"));
    columns.push_back(parameter_column(*parameters_, "samples"));
    columns.insert(columns.end(),
                   {{.name = "mean", .help = "mean of " + of, .tolerance = {0, 1e-3 / root, "std"}},
                    {.name = "variance",
                     .help = "variance of " + of + " about its mean, ddof 0",
                     .tolerance = same,
                     .interval_low = "variance_low",
                     .interval_high = "variance_high"},
                    {.name = "variance_se",
                     .help = "standard error of the ddof-1 variance s^2 of N samples: Var(s^2) = "
                             "Var^2 [2/(N-1) + kurtosis/N]",
                     .tolerance = {1e-3, 0, ""}},
                    {.name = "variance_low",
                     .help = "lower end of the 95 % interval of the variance",
                     .tolerance = ends},
                    {.name = "variance_high",
                     .help = "upper end of the 95 % interval of the variance",
                     .tolerance = ends},
                    {.name = "predicted",
                     .help = "variance by theory: " + prediction,
                     .kind = ColumnKind::kExact},
                    {.name = "z",
                     .help = "(ddof-1 variance - predicted) / variance_se",
                     .tolerance = {0, 1e-3, ""}},
                    {.name = "std", .help = "square root of variance", .tolerance = same},
                    {.name = "kurtosis",
                     .help = "excess kurtosis as measured",
                     .tolerance = {1e-3, 1e-3 * std::sqrt(24.0) / root, ""}},
                    {.name = "predicted_kurtosis",
                     .help = "excess kurtosis by theory, where there is a formula",
                     .kind = ColumnKind::kExact}});
    return columns;
  }

  // Fills the common columns with what is true of `factor` times q.k.
  static Table::RowWriter write(Table::RowWriter row, const CentralMoments& moments,
                                const DotProductTheory& theory, std::optional<double> error,
                                double factor) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    const double square = factor * factor;
    const double variance = moments.variance(0) * square;
    const double half = error ? kNormal95 * *error * square : kNothing;
    const bool has_z = error && theory.variance && *error > 0;
    row.set("mean", moments.mean * factor)
        .set("variance", variance)
        .set("variance_se", error ? *error * square : kNothing)
        .set("variance_low", variance - half)
        .set("variance_high", variance + half)
        .set("predicted", theory.variance ? *theory.variance * square : kNothing)
        .set("z", has_z ? (moments.variance(1) - *theory.variance) / *error : kNothing)
        .set("std", std::sqrt(variance))
        .set("kurtosis", moments.excess_kurtosis())
        .set("predicted_kurtosis", theory.kurtosis.value_or(kNothing));
    return row;
  }

  std::vector<std::int64_t> d_{4, 64, 1024};
  std::int64_t samples_ = 40000;
  std::vector<Law> law_{Law::kNormal};
  double df_ = 10;
  double mean_q_ = 0, mean_k_ = 0;
  bool tied_ = false;
  Rng rng_ = Rng::kPhilox;
  std::int64_t seed_ = 1;

  const ParameterList* parameters_ = nullptr;
  std::vector<DotProductSettings> grid_;
};

}  // namespace

ExperimentInfo variance_experiment() {
  return {"variance",
          "how the variance of q.k grows with d, and that 1/sqrt(d) undoes it",
          "Vaswani et al., Attention Is All You Need, 2017, section 3.2.1, footnote 4",
          {"attnlab variance", "attnlab variance --d 16,256 --samples 10000",
           "attnlab variance --d 64 --law laplace --format csv"},
          [] { return std::unique_ptr<Experiment>(new Variance); }};
}

}  // namespace attnlab
