#include "experiments/sweep_derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "experiments/sweep_tables.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/peak.h"
#include "measure/crossover.h"
#include "measure/fit.h"

namespace attnlab {
namespace {

constexpr double kNoiseLimit = 0.1;
// A power law of memory speaks of large n only where its first size is as large as this.
constexpr double kAsymptotic = 4096;

struct Size {
  double n;
  double working_set;
  ProcessSamples samples;
};

// The timed rows of one kernel: equal in every parameter but n.
struct Curve {
  std::string kernel, isa;
  std::vector<std::pair<std::string, Cell>> parameters;  // kernel and isa among them
  std::vector<Size> sizes;                               // by n

  // What curves must share to be compared: all but kernel and isa.
  std::string family() const {
    std::string out;
    for (const auto& [name, value] : parameters) {
      if (name != "kernel" && name != "isa") out += name + "=" + cell_text(value) + " ";
    }
    return out;
  }
  void write_parameters(Table::RowWriter& row, bool with_kernel) const {
    for (const auto& [name, value] : parameters) {
      if (with_kernel || (name != "kernel" && name != "isa")) row.set(name, value);
    }
  }
  std::vector<double> lengths() const {
    std::vector<double> out;
    for (const Size& size : sizes) out.push_back(size.n);
    return out;
  }
  std::vector<double> working_sets() const {
    std::vector<double> out;
    for (const Size& size : sizes) out.push_back(size.working_set);
    return out;
  }
  std::vector<double> medians() const {
    std::vector<double> out;
    for (const Size& size : sizes) out.push_back(median(pooled(size.samples)));
    return out;
  }
  std::vector<SizedSamples> samples() const {
    std::vector<SizedSamples> out;
    for (const Size& size : sizes) out.push_back({size.n, size.samples});
    return out;
  }
};

double number(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

std::vector<Curve> curves_of(const Table& table) {
  std::vector<Curve> out;
  std::map<std::string, std::size_t> places;
  for (const Row& row : table.rows) {
    if (row.time_samples.empty()) continue;
    std::vector<std::pair<std::string, Cell>> parameters;
    std::string key;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (column.kind != ColumnKind::kParameter || column.name == "n") continue;
      parameters.emplace_back(column.name, row.cells[i]);
      key += cell_text(row.cells[i]) + "\n";
    }
    const auto [found, is_new] = places.emplace(std::move(key), out.size());
    if (is_new) {
      out.push_back({cell_text(table.at(row, "kernel")),
                     cell_text(table.at(row, "isa")),
                     std::move(parameters),
                     {}});
    }
    out[found->second].sizes.push_back(
        {number(table.at(row, "n")), number(table.at(row, "working_set_bytes")), row.time_samples});
  }
  for (Curve& curve : out) {
    std::vector<Size>& sizes = curve.sizes;
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const Size& a, const Size& b) { return a.n < b.n; });
    sizes.erase(std::unique(sizes.begin(), sizes.end(),
                            [](const Size& a, const Size& b) { return a.n == b.n; }),
                sizes.end());
  }
  return out;
}

Cell or_null(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

void add_fits(const Curve& curve, std::uint64_t seed, Table& table) {
  const std::vector<double> lengths = curve.lengths();
  const std::optional<double> memory = power_exponent(lengths, curve.working_sets());
  for (const Fit& fit : fit_times(curve.samples(), seed)) {
    Table::RowWriter row = table.add_row();
    curve.write_parameters(row, true);
    row.set("model", fit.model)
        .set("a", or_null(fit.a))
        .set("b", or_null(fit.b))
        .set("c", or_null(fit.c))
        .set("r2", or_null(fit.r2))
        .set("exponent", or_null(fit.exponent))
        .set("exponent_low", or_null(fit.exponent_low))
        .set("exponent_high", or_null(fit.exponent_high))
        .set("memory_exponent", or_null(memory))
        .set("n_first", static_cast<std::int64_t>(lengths.front()))
        .set("n_last", static_cast<std::int64_t>(lengths.back()))
        .set("preferred", fit.preferred)
        .set("warning", fit.warnings.empty() ? Cell() : Cell(join(fit.warnings, "; ")));
  }
}

void add_local_exponents(const Curve& curve, Table& table) {
  const std::vector<double> lengths = curve.lengths();
  const std::vector<double> time = local_exponents(lengths, curve.medians());
  const std::vector<double> memory = local_exponents(lengths, curve.working_sets());
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    Table::RowWriter row = table.add_row();
    curve.write_parameters(row, true);
    row.set("n", static_cast<std::int64_t>(lengths[i]))
        .set("n_next", static_cast<std::int64_t>(lengths[i + 1]))
        .set("time_exponent", time[i])
        .set("memory_exponent", memory[i]);
  }
}

// The crossovers among curves of one family.
void add_crossovers(const std::vector<const Curve*>& family, std::uint64_t seed, Table& table) {
  std::map<std::string, int> uses;
  for (const Curve* curve : family) ++uses[curve->kernel];
  std::vector<TimedCurve> timed;
  for (const Curve* curve : family) {
    const bool is_alone = uses[curve->kernel] == 1;
    timed.push_back(
        {is_alone ? curve->kernel : curve->kernel + "/" + curve->isa, curve->samples()});
  }
  for (const TimedCrossover& crossover : find_crossovers(timed, seed)) {
    Table::RowWriter row = table.add_row();
    family.front()->write_parameters(row, false);
    row.set("slower", crossover.slower)
        .set("faster", crossover.faster)
        .set("n", or_null(crossover.n))
        .set("n_low", or_null(crossover.n_low))
        .set("n_high", or_null(crossover.n_high))
        .set("reason", crossover.reason.empty() ? Cell() : Cell(crossover.reason));
  }
}

// Every share against the best that the probe reached in the whole run.
void share_of_run_peak(const Table& peaks, Table& table) {
  std::map<std::string, double> best;
  const auto key = [](const Table& of, const Row& row, const std::string& isa) {
    return isa + "/" + cell_text(of.at(row, "dtype")) + "/" + cell_text(of.at(row, "threads"));
  };
  for (const Row& row : peaks.rows) {
    double& known = best[key(peaks, row, cell_text(peaks.at(row, "isa")))];
    known = std::max(known, number(peaks.at(row, "flops_per_second")));
  }
  const int share = table.index_of("peak_share");
  for (Row& row : table.rows) {
    if (row.time_samples.empty()) continue;
    std::string isa = cell_text(table.at(row, "isa"));
    if (isa == isa_name(Isa::kBlas)) isa = isa_name(peak_isa(Isa::kBlas));
    const auto found = best.find(key(table, row, isa));
    if (found == best.end() || found->second <= 0) continue;
    row.cells[static_cast<std::size_t>(share)] =
        number(table.at(row, "flops_per_second")) / found->second;
  }
}

void note_noise(Table& table) {
  std::size_t noisy = 0, timed = 0;
  double worst = 0;
  std::string where;
  for (const Row& row : table.rows) {
    if (row.time_samples.empty()) continue;
    ++timed;
    const double noise = number(table.at(row, "noise"));
    noisy += noise > kNoiseLimit;
    if (noise <= worst) continue;
    worst = noise;
    where = cell_text(table.at(row, "kernel")) + " at n = " + cell_text(table.at(row, "n"));
  }
  if (noisy == 0) return;
  table.add_note(fmt::format(
      "{} of {} rows have a noise above {:.0f} % (most: {}, {:.0f} %): close other programs, raise "
      "--repeats or --min-time, or measure in fresh processes with --runs 5.",
      noisy, timed, 100 * kNoiseLimit, where, 100 * worst));
}

// Times of BLAS are not what a program gets that leaves the choice to OpenBLAS.
void note_blas_core(Table& table) {
  constexpr std::string_view kOurs = "attnlab, in place of ";
  const std::string chosen_by = blas_core_chosen_by();
  if (chosen_by.rfind(kOurs, 0) != 0) return;
  table.add_note(
      fmt::format("OpenBLAS had taken {} kernels; attnlab chose {}, because the processor can do "
                  "more than those. Set {} to choose for yourself.",
                  chosen_by.substr(kOurs.size()), blas_info().core, kCoreVariable));
}

void note_memory(const std::vector<Curve>& curves, Table& fits) {
  double first = 0, last = 0;
  for (const Curve& curve : curves) {
    if (curve.sizes.size() < 2) continue;
    if (last == 0) first = curve.sizes.front().n;
    first = std::min(first, curve.sizes.front().n);
    last = std::max(last, curve.sizes.back().n);
  }
  if (last == 0 || fits.rows.empty()) return;
  fits.add_note(fmt::format(
      "memory_exponent is that of inputs + output + workspace over n = n_first to n_last ({} to {} "
      "here). A workspace that does not grow gives 1 or less. Three steps that store all scores "
      "come to 2 only where the scores outweigh all else{}.",
      first, last, first >= kAsymptotic ? "" : ", from about n = 4096 on"));
}

}  // namespace

void derive_sweep_tables(std::uint64_t seed, std::vector<Table>& tables) {
  share_of_run_peak(tables[kPeaksTable], tables[kSweepTable]);
  const std::vector<Curve> curves = curves_of(tables[kSweepTable]);
  std::vector<std::string> families;
  std::map<std::string, std::vector<const Curve*>> by_family;
  for (const Curve& curve : curves) {
    add_fits(curve, seed, tables[kFitsTable]);
    add_local_exponents(curve, tables[kExponentsTable]);
    if (by_family.find(curve.family()) == by_family.end()) families.push_back(curve.family());
    by_family[curve.family()].push_back(&curve);
  }
  for (const std::string& family : families) {
    add_crossovers(by_family[family], seed, tables[kCrossoversTable]);
  }
  note_noise(tables[kSweepTable]);
  note_blas_core(tables[kSweepTable]);
  note_memory(curves, tables[kFitsTable]);
}

}  // namespace attnlab
