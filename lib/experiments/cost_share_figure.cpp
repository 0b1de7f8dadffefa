// The figure of what cost counts: the shares of projections, attention and feed-forward in the
// multiply-adds of a layer against n, with the lengths at which attention equals the projections
// and all linear parts. A panel a kind of layer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/figures.h"

namespace attnlab {
namespace {

constexpr std::size_t kParts = 3;
constexpr const char* kColumns[kParts] = {"projection_macs", "attention_macs", "ffn_macs"};
constexpr const char* kNames[kParts] = {"projections", "attention", "feed-forward"};
constexpr std::size_t kAttention = 1;
constexpr std::size_t kMostPanels = 4;
constexpr int kCurvePoints = 96;

struct Counts {
  double n = 0;
  std::array<double, kParts> macs{};
  double share(std::size_t part) const {
    double sum = 0;
    for (const double one : macs) sum += one;
    return sum > 0 ? macs[part] / sum : 0;
  }
};

std::vector<Counts> counts_of(const Table& table, const RowSeries& rows) {
  std::vector<Counts> out;
  for (const Row* row : rows.rows) {
    const auto n = number_in(table, *row, "n");
    Counts one{n.value_or(0)};
    bool is_whole = n.has_value();
    for (std::size_t part = 0; part < kParts; ++part) {
      const auto macs = number_in(table, *row, kColumns[part]);
      is_whole = is_whole && macs;
      one.macs[part] = macs.value_or(0);
    }
    if (is_whole && one.n > 0) out.push_back(one);
  }
  std::sort(out.begin(), out.end(), [](const Counts& a, const Counts& b) { return a.n < b.n; });
  return out;
}

// Between two lengths, straight on logarithmic scales: exact for what grows as a power of n, which
// all parts do.
Counts counts_at(const std::vector<Counts>& counts, double n) {
  const auto above = std::find_if(counts.begin() + 1, counts.end() - 1,
                                  [&](const Counts& one) { return one.n >= n; });
  const Counts &to = *above, &from = *(above - 1);
  const double place = to.n > from.n ? std::log(n / from.n) / std::log(to.n / from.n) : 0;
  Counts out{n};
  for (std::size_t part = 0; part < kParts; ++part) {
    const double a = from.macs[part], b = to.macs[part];
    out.macs[part] = a > 0 && b > 0 ? a * std::pow(b / a, place) : a + place * (b - a);
  }
  return out;
}

void add_crossover(const Table& table, const RowSeries& rows, const char* column, const char* what,
                   const std::vector<Counts>& counts, FigurePanel& panel) {
  const auto n = number_in(table, *rows.rows.front(), column);
  if (!n || *n < counts.front().n || *n > counts.back().n) return;
  panel.marks.push_back({*n, counts_at(counts, *n).share(kAttention),
                         fmt::format("n = {:.0f}: attention equals {}", *n, what)});
}

FigurePanel share_panel(const Table& table, const RowSeries& rows, bool is_alone) {
  FigurePanel panel{
      .name = is_alone ? "shares" : rows.name,
      .x = {.label = is_alone ? "n (sequence length)" : "n (sequence length), " + rows.name,
            .counts_in_twos = true},
      .y = {.label = "share of the multiply-adds", .is_logarithmic = false},
      .mark_name = "crossover",
      .labels_at_marks = true};
  const std::vector<Counts> counts = counts_of(table, rows);
  if (counts.empty()) return panel;
  for (std::size_t part = 0; part < kParts; ++part) {
    FigureSeries one{.name = kNames[part], .style = part};
    for (const Counts& at : counts) one.points.push_back({at.n, at.share(part)});
    if (counts.size() > 1) {
      const double step = std::log(counts.back().n / counts.front().n) / (kCurvePoints - 1);
      for (int i = 0; i < kCurvePoints; ++i) {
        const double n = counts.front().n * std::exp(step * i);
        one.curve.push_back({n, counts_at(counts, n).share(part)});
      }
    }
    panel.series.push_back(std::move(one));
  }
  if (counts.size() > 1) {
    add_crossover(table, rows, "crossover_n", "the projections", counts, panel);
    add_crossover(table, rows, "crossover_n_all_linear", "all linear parts", counts, panel);
  }
  return panel;
}

}  // namespace

Figure cost_share_figure(const FigureTables& tables) {
  const Table& table = tables.own.front();
  Figure out{
      table.title.empty() ? "attnlab cost: where the multiply-adds of a layer go" : table.title,
      {}};
  std::vector<RowSeries> groups = series_of(table, "n", "layer_type");
  if (groups.size() > kMostPanels) groups.resize(kMostPanels);
  for (const RowSeries& rows : groups) {
    out.panels.push_back(share_panel(table, rows, groups.size() == 1));
  }
  return out;
}

}  // namespace attnlab
