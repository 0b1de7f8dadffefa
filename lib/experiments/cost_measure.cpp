#include "experiments/cost_measure.h"

#include <algorithm>
#include <limits>

#include "experiments/cost_layer_measurement.h"
#include "experiments/cost_row.h"
#include "experiments/limits.h"
#include "experiments/peaks_table.h"
#include "machine/machine.h"
#include "measure/robust.h"

namespace attnlab {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kTypicalRate = 2e10;  // FLOP/s a thread, for estimates

PeakSettings limits_beside(int threads) {
  PeakSettings out;
  out.isas = {simd_isas().back()};
  out.threads = {threads};
  out.tiles = out.wakes = false;
  out.sampler = {.repeats = 10, .warmup = 1, .min_time = 0.002};
  return out;
}

void set_time(Table::RowWriter& row, const std::string& name, const std::vector<double>& samples) {
  const auto interval = median_interval({samples}, 1);
  row.set(name, median(samples))
      .set(name + "_low", interval ? interval->low : kNothing)
      .set(name + "_high", interval ? interval->high : kNothing);
}

void add_part_row(const CostSubject& subject, const LayerType& type, std::int64_t n,
                  const TimedPart& part, Table& table) {
  Table::RowWriter row = row_of(subject, type.name, table);
  row.set("n", n).set("part", part.name).set("kernel", part.kernel);
  const bool is_lost = part.name == "softmax" && median(part.samples) <= 0;
  if (is_lost) {
    row.set("reason", "the difference is lost in noise: raise repeats or min_time");
    return;
  }
  set_time(row, "time", part.samples);
  if (part.name != "softmax") row.row().time_samples = {part.samples};  // a difference is no call
  const double time = median(part.samples);
  if (part.macs == 0 || time <= 0) return;
  row.set("macs", static_cast<std::int64_t>(part.macs))
      .set("time_per_mac", time / part.macs)
      .set("flops_per_second", 2 * part.macs / time)
      .set("peak_share", part.peak > 0 ? 2 * part.macs / time / part.peak : kNothing)
      .set("intensity", part.bytes > 0 ? 2 * part.macs / part.bytes : kNothing);
}

// What a token and the first token of one layer type take.
struct GenerationTimes {
  double token = 0, first = 0;
};

void add_generation_row(const CostSubject& subject, const LayerType& type, std::int64_t n,
                        const std::vector<TimedPart>& step, const GenerationTimes& times,
                        Table& table) {
  const TimedPart &attention = step[0], &linear = step[1];
  Table::RowWriter row = row_of(subject, type.name, table);
  row.set("layers", type.layers).set("n", n);
  set_time(row, "attention_time", attention.samples);
  row.row().time_samples = {attention.samples};
  const double rate = attention.bytes / median(attention.samples);
  row.set("cache_bytes", static_cast<std::int64_t>(attention.bytes))
      .set("macs", static_cast<std::int64_t>(attention.macs))
      .set("flops_per_second", 2 * attention.macs / median(attention.samples))
      .set("intensity", 2 * attention.macs / attention.bytes)
      .set("bytes_per_second", rate)
      .set("weight_bytes", static_cast<std::int64_t>(linear.bytes));
  if (step.size() > 2) {
    const double read = step[2].bytes / median(step[2].samples);
    row.set("read_bandwidth", read).set("bandwidth_share", rate / read);
  }
  set_time(row, "linear_time", linear.samples);
  row.set("token_time", times.token)
      .set("tokens_per_second", static_cast<double>(type.shape.batch) / times.token)
      .set("time_to_first_token", times.first);
}

}  // namespace

void CostMeasureSettings::declare(ParameterList& list) {
  list.add("measure", measure, "time the parts on this machine, beside what is counted");
  list.add("repeats", repeats, "with measure: samples of each part")
      .range(2, 1e6)
      .quick(10, 2)
      .quick_if(measure);
  list.add("warmup", warmup, "with measure: calls of each part before its samples").range(0, 1e6);
  list.add("min_time", min_time, "with measure: a sample lasts at least this long")
      .unit("s")
      .range(0, 3600);
}

CostMeasureNeeds measure_needs(const CostMeasureSettings& settings, const LayerType& type,
                               const CostPoint& at, int threads) {
  CostMeasureNeeds out;
  if (!why_not_measured(type).empty()) return out;
  const auto beside = static_cast<double>(peaks_bytes(limits_beside(threads), read_machine()));
  out.bytes = std::max(measurement_bytes(type, at, threads), beside);
  constexpr double kParts = 8;
  const auto calls = static_cast<double>(settings.repeats + settings.warmup + 2);
  out.seconds = calls * (measurement_flops(type, at) / kTypicalRate +
                         kParts * threads * settings.min_time.seconds);
  return out;
}

void add_measured_rows(const CostMeasureSettings& settings, const CostSubject& subject,
                       const CostPoint& at, RunContext& context, std::vector<Table>& tables) {
  const MeasuredTables out(tables);
  Watch& watch = context.watch;
  for (const Peak& peak : take_peaks(limits_beside(context.team.threads()), watch)) {
    if (watch.stopped()) return;
    Table::RowWriter row = add_peak_row(peak, out.peaks);
    if (!subject.name.empty()) row.set("model", subject.name);
    row.set("n", at.n);
  }
  GenerationTimes all;
  bool all_generate = true;
  for (LayerType type : subject.shape.types) {
    type.shape.storage = StorageType::kF32;  // what is measured, whatever is counted
    const auto refuse = [&](const std::string& status, const std::string& reason) {
      row_of(subject, type.name, out.measured)
          .set("n", at.n)
          .set("status", status)
          .set("reason", reason);
    };
    if (!type.is_tower) all_generate = all_generate && why_not_measured(type).empty();
    if (const std::string why_not = why_not_measured(type); !why_not.empty()) {
      refuse("skipped", why_not);
      continue;
    }
    std::vector<TimedPart> parts, step;
    std::string mistake;
    const auto [status, reason] = outcome_of([&] {
      LayerMeasurement measurement(settings, type, at, context);
      mistake = measurement.prefill(parts);
      if (mistake.empty() && generates(type) && !watch.stopped())
        mistake = measurement.decode(step);
    });
    if (watch.stopped()) return;
    if (status != "ok" || !mistake.empty()) {
      refuse(status != "ok" ? status : "failed", status != "ok" ? reason : mistake);
      all_generate = false;
      continue;
    }
    double prefill = 0;
    for (const TimedPart& part : parts) {
      add_part_row(subject, type, at.n, part, out.measured);
      if (part.name == "projections" || part.name == "ffn" || part.name == "fused") {
        prefill += median(part.samples);
      }
    }
    if (type.is_encoder) all.first += static_cast<double>(type.layers) * prefill;
    if (step.empty()) continue;
    const auto layers = static_cast<double>(type.layers);
    const GenerationTimes one{layers * (median(step[0].samples) + median(step[1].samples)),
                              layers * prefill};
    add_generation_row(subject, type, at.n, step, one, out.generation);
    all.token += one.token;
    all.first += one.first;
  }
  if (!has_sum(subject.shape) || !all_generate || all.token == 0) return;
  Table::RowWriter row = row_of(subject, "all", out.generation);
  const auto batch = static_cast<double>(subject.shape.types.front().shape.batch);
  row.set("layers", layers_of(subject))
      .set("n", at.n)
      .set("token_time", all.token)
      .set("tokens_per_second", batch / all.token)
      .set("time_to_first_token", all.first);
}

}  // namespace attnlab
