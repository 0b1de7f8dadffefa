#include "experiments/peaks_table.h"

#include <limits>
#include <utility>

#include "machine/machine.h"
#include "measure/robust.h"
#include "tensor/buffer.h"

namespace attnlab {

Table peaks_table(const std::string& experiment, std::vector<Column> keys) {
  using K = ColumnKind;
  std::vector<Column> columns = std::move(keys);
  for (Column& column : std::vector<Column>{
           {"limit",
            "fma, tiles: multiply-adds; read, copy: bytes; wake, hand_over: a team's start",
            K::kParameter},
           {"level", "which memory", K::kParameter},
           {"isa", "instruction set of the probe", K::kParameter},
           {"threads", "threads", K::kParameter},
           {.name = "time",
           .help = "seconds of a call of the probe (median)",
           .kind = K::kTimed,
           .unit = "s",
           .better = Better::kLower,
           .interval_low = "time_low",
           .interval_high = "time_high"},
           {"time_low", "lower end of its 95 % bootstrap interval", K::kDerived, "s"},
           {"time_high", "upper end of its 95 % bootstrap interval", K::kDerived, "s"},
           {"flops_per_second", "work of a call / time", K::kDerived, "FLOP/s", Better::kHigher},
           {"bytes_per_second", "bytes of a call / time", K::kDerived, "B/s", Better::kHigher},
           {"best", "the same of the fastest call, in FLOP/s or B/s", K::kDerived, "",
            Better::kHigher},
           {"noise", "interquartile range / median of the calls' times", K::kDerived},
           {"buffer_bytes", "that the threads go through together", K::kExact, "B"},
           {"method", "how it is measured", K::kExact}}) {
    columns.push_back(std::move(column));
  }
  return Table("peaks", experiment, std::move(columns));
}

Table::RowWriter add_peak_row(const Peak& peak, Table& table) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  Table::RowWriter row = table.add_row();
  row.set("limit", peak_name(peak.kind));
  if (peak.level != MemoryLevel::kNone) row.set("level", level_name(peak.level));
  if (peak.isa) row.set("isa", isa_name(*peak.isa));
  row.set("threads", peak.threads).set("method", peak_method(peak.kind));
  if (peak.buffer_bytes > 0) row.set("buffer_bytes", peak.buffer_bytes);
  if (peak.samples.empty()) return row;
  const SampleSummary summary = summarize({peak.samples}, 1);
  row.set("time", summary.median)
      .set("time_low", summary.interval ? summary.interval->low : kNothing)
      .set("time_high", summary.interval ? summary.interval->high : kNothing)
      .set("noise", summary.noise);
  row.row().time_samples = {peak.samples};
  if (!peak.is_rate()) return row;
  const bool is_flops = peak.kind == PeakKind::kMultiplyAdd || peak.kind == PeakKind::kTiles;
  row.set(is_flops ? "flops_per_second" : "bytes_per_second", peak.rate(summary.median))
      .set("best", peak.rate(quantile(peak.samples, 0)));
  return row;
}

std::vector<Peak> take_peaks(const PeakSettings& settings, Watch& watch) {
  const Machine machine = read_machine();
  const AlignedBuffer buffer(peaks_bytes(settings, machine));
  SteadyClock clock;
  return measure_peaks(settings, machine, buffer.span(), clock, watch);
}

}  // namespace attnlab
