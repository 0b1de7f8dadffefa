// Measured ratios and crossovers beside the predicted ones, from the samples of `measured`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "experiments/cost_row.h"
#include "measure/crossover.h"
#include "measure/robust.h"

namespace attnlab {
namespace {

constexpr std::uint64_t kSeed = 1;

std::string text_of(const Table& table, const Row& row, std::string_view column) {
  if (table.index_of(column) < 0) return "";
  const Cell& cell = table.at(row, column);
  return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
}

// The samples of the parts of one kind of layer of one model, by n.
using Samples = std::map<std::string, std::map<std::int64_t, std::vector<double>>>;

// Sums round by round; empty where one of them is.
std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(std::min(a.size(), b.size()));
  std::transform(a.begin(), a.begin() + std::ssize(out), b.begin(), out.begin(), std::plus<>());
  return out;
}

Samples samples_of(const Table& measured, const std::string& model, const std::string& layer_type) {
  Samples out;
  for (const Row& row : measured.rows) {
    if (text_of(measured, row, "model") != model || row.time_samples.empty() ||
        text_of(measured, row, "layer_type") != layer_type) {
      continue;
    }
    out[text_of(measured, row, "part")][std::get<std::int64_t>(measured.at(row, "n"))] =
        row.time_samples.front();
  }
  for (const auto& [n, projections] : out["projections"]) {
    const auto ffn = out["ffn"].find(n);
    out["linear"][n] = ffn == out["ffn"].end() ? projections : sum(projections, ffn->second);
  }
  return out;
}

// The layers of all kinds together; nothing of a part and n that one of them lacks.
Samples samples_of_all(const Table& measured, const CostSubject& subject) {
  std::optional<Samples> out;
  for (const LayerType& type : subject.shape.types) {
    if (type.is_tower) continue;
    Samples one = samples_of(measured, subject.name, type.name);
    for (auto& [part, by_n] : one) {
      for (auto& [n, samples] : by_n) {
        for (double& seconds : samples) seconds *= static_cast<double>(type.layers);
      }
    }
    if (!out) {
      out = std::move(one);
      continue;
    }
    for (auto& [part, by_n] : *out) {
      for (auto& [n, samples] : by_n) samples = sum(samples, one[part][n]);
    }
  }
  for (auto& [part, by_n] : *out) {
    std::erase_if(by_n, [](const auto& entry) { return entry.second.empty(); });
  }
  return *out;
}

void set_with_interval(Table::RowWriter& row, const std::string& name, double value,
                       const std::optional<double>& low, const std::optional<double>& high) {
  row.set(name, value);
  if (low) row.set(name + "_low", *low);
  if (high) row.set(name + "_high", *high);
}

const std::vector<double>* find(const Samples& samples, const std::string& part, std::int64_t n) {
  const auto of_part = samples.find(part);
  if (of_part == samples.end()) return nullptr;
  const auto found = of_part->second.find(n);
  return found == of_part->second.end() ? nullptr : &found->second;
}

void set_times(const Samples& samples, std::int64_t n, Table::RowWriter& row) {
  for (const auto& [part, column] :
       {std::pair("projections", "projection_time"), std::pair("ffn", "ffn_time"),
        std::pair("attention", "attention_time"), std::pair("fused", "fused_time")}) {
    if (const auto* found = find(samples, part, n)) row.set(column, median(*found));
  }
  const auto* projections = find(samples, "projections", n);
  for (const auto& [part, column] :
       {std::pair("attention", "measured_ratio"), std::pair("fused", "fused_ratio")}) {
    const auto* attention = find(samples, part, n);
    if (projections == nullptr || attention == nullptr) continue;
    std::vector<double> ratios(std::min(projections->size(), attention->size()));
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = (*attention)[i] / (*projections)[i];
    const auto interval = median_interval({ratios}, kSeed);
    set_with_interval(row, column, median(ratios),
                      interval ? std::optional(interval->low) : std::nullopt,
                      interval ? std::optional(interval->high) : std::nullopt);
  }
}

// From which n on `attention` takes longer than `linear`.
TimedCrossover crossover_of(const Samples& samples, const std::string& attention,
                            const std::string& linear) {
  std::vector<TimedCurve> curves{{attention, {}}, {linear, {}}};
  TimedCrossover nothing;
  nothing.reason = "not measured";
  for (TimedCurve& curve : curves) {
    const auto found = samples.find(curve.name);
    if (found == samples.end() || found->second.empty()) {
      return nothing;
    }
    for (const auto& [n, times] : found->second) {
      curve.sizes.push_back({static_cast<double>(n), {times}});
    }
  }
  std::vector<TimedCrossover> out = find_crossovers(curves, kSeed);
  if (out.empty()) return nothing;
  if (out.front().n && out.front().slower != attention) out.front().n.reset();
  return out.front();
}

void set_crossovers(const Samples& samples, Table::RowWriter& row) {
  for (const auto& [attention, prefix] :
       {std::pair("attention", "measured"), std::pair("fused", "fused")}) {
    for (const auto& [linear, suffix] :
         {std::pair("projections", ""), std::pair("linear", "_all_linear")}) {
      const TimedCrossover found = crossover_of(samples, attention, linear);
      if (!found.n) continue;
      set_with_interval(row, std::string(prefix) + "_crossover_n" + suffix, *found.n, found.n_low,
                        found.n_high);
    }
  }
}

// "from n = 890 [870, 912]".
std::string crossover_text(const TimedCrossover& crossover) {
  std::string out = fmt::format("from n = {:.0f}", *crossover.n);
  if (crossover.n_low && crossover.n_high) {
    out += fmt::format(" [{:.0f}, {:.0f}]", *crossover.n_low, *crossover.n_high);
  }
  return out + (crossover.is_extrapolated ? " (by the fits, beyond what was measured)" : "");
}

// What a multiply-add costs where the two are nearest to each other, and what follows.
std::string sentence(const Samples& samples, const Table& cost, const std::vector<const Row*>& rows,
                     const char* part, const char* name) {
  const Row* nearest = nullptr;
  double distance = 0;
  for (const Row* row : rows) {
    const std::int64_t n = std::get<std::int64_t>(cost.at(*row, "n"));
    const auto *attention = find(samples, part, n), *linear = find(samples, "projections", n);
    if (attention == nullptr || linear == nullptr) continue;
    const double away = std::abs(std::log(median(*attention) / median(*linear)));
    if (nearest != nullptr && away >= distance) continue;
    nearest = row;
    distance = away;
  }
  if (nearest == nullptr) return "";
  const std::int64_t n = std::get<std::int64_t>(cost.at(*nearest, "n"));
  const auto macs = [&](const char* column) {
    return static_cast<double>(std::get<std::int64_t>(cost.at(*nearest, column)));
  };
  const double attention = median(*find(samples, part, n)) / macs("attention_macs");
  const double linear = median(*find(samples, "projections", n)) / macs("projection_macs");
  const Cell& counted = cost.at(*nearest, "crossover_n");
  const std::string predicted = std::holds_alternative<double>(counted)
                                    ? fmt::format("{:.0f}", std::get<double>(counted))
                                    : "nowhere";
  const std::string out = fmt::format(
      "On this machine a multiply-add in attention ({}) costs {:.2f} times one in a projection (n "
      "= "
      "{})",
      name, attention / linear, n);
  const TimedCrossover crossover = crossover_of(samples, part, "projections");
  if (crossover.n) {
    return out +
           fmt::format(", so attention outweighs the projections {}, not {}, as the counts say.",
                       crossover_text(crossover), predicted);
  }
  return out + fmt::format(
                   ". From which n attention outweighs the projections was not measured: {}; "
                   "the counts say {}.",
                   crossover.reason, predicted);
}

}  // namespace

void finish_measured(std::span<const CostSubject> subjects, std::vector<Table>& tables) {
  Table& cost = tables[CostTables::kCost];
  const MeasuredTables all(tables);
  for (const CostSubject& subject : subjects) {
    std::vector<std::string> names;
    for (const LayerType& type : subject.shape.types) names.push_back(type.name);
    if (has_sum(subject.shape)) names.emplace_back("all");
    for (const std::string& name : names) {
      const Samples samples = name == "all" ? samples_of_all(all.measured, subject)
                                            : samples_of(all.measured, subject.name, name);
      std::vector<const Row*> rows;
      for (Row& row : cost.rows) {
        if (text_of(cost, row, "model") != subject.name ||
            text_of(cost, row, "layer_type") != name || text_of(cost, row, "status") != "ok") {
          continue;
        }
        Table::RowWriter writer(cost, row);
        set_times(samples, std::get<std::int64_t>(cost.at(row, "n")), writer);
        set_crossovers(samples, writer);
        rows.push_back(&row);
      }
      const std::string whose = subject.name.empty() ? "" : subject.name + ", " + name + ": ";
      for (const auto& [part, kernel] :
           {std::pair("attention", "in three steps"), std::pair("fused", "fused")}) {
        const std::string text = sentence(samples, cost, rows, part, kernel);
        if (!text.empty()) cost.add_note(whose + text);
      }
    }
  }
  all.measured.add_note(
      "Times of the parts in turns, float32, random numbers; every part's result was checked. "
      "peak_share is against the best of a probe's runs beside the part: a share above 1 means "
      "that others took more from the probe than from the part.");
  all.generation.add_note(
      "token_time and time_to_first_token are those of the layers: norms, embedding and the output "
      "head are not in them. Where a model has several layers, their weights are read in turn, so "
      "that no cache holds them. time_to_first_token of the row all has an encoder's layers too. "
      "Keys "
      "and values too few for the reading loop have no read_bandwidth; a share above 1 means that "
      "others took more from that loop than from the attention. Float32 throughout.");
}

}  // namespace attnlab
