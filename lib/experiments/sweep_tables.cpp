#include "experiments/sweep_tables.h"

#include <limits>
#include <utility>

#include "machine/peak.h"

namespace attnlab {
namespace {

Column column(std::string name, std::string help, ColumnKind kind, std::string unit = "",
              Better better = Better::kNone) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = kind,
          .unit = std::move(unit),
          .better = better};
}

// kernel, isa, the axes that the grid has, dtype, threads, n.
std::vector<Column> parameter_columns(const SweepSettings& settings,
                                      const ParameterList& parameters, bool with_kernel = true,
                                      bool with_n = true) {
  std::vector<std::string> names;
  if (with_kernel) names.emplace_back("kernel");
  names.emplace_back("isa");
  for (std::string& axis : sweep_axes(settings)) names.push_back(std::move(axis));
  names.emplace_back("dtype");
  names.emplace_back("threads");
  if (with_n) names.emplace_back("n");
  std::vector<Column> out;
  for (const std::string& name : names) out.push_back(parameter_column(parameters, name));
  return out;
}

Table with_columns(std::string name, std::vector<Column> columns, std::vector<Column> more,
                   bool is_detail = false) {
  columns.insert(columns.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  Table out(std::move(name), "sweep", std::move(columns));
  out.is_detail = is_detail;
  return out;
}

std::vector<Column> sweep_columns(const SweepSettings& settings) {
  using K = ColumnKind;
  Column time = column("time", "median of the seconds of a call", K::kTimed, "s", Better::kLower);
  time.interval_low = "time_low";
  time.interval_high = "time_high";
  Column max_error = column("max_error", "largest difference to the same operator in float64",
                            K::kMeasured, "", Better::kLower);
  max_error.tolerance = {1, 1e-6, ""};  // another ISA rounds otherwise
  Column ratio = column("error_ratio", "max_error over that of a plain float32 evaluation",
                        K::kMeasured, "", Better::kLower);
  ratio.tolerance = {0, 1, ""};
  Column approximation =
      column("approximation_error",
             "largest difference to full softmax attention of the unrounded inputs in float64",
             K::kMeasured, "", Better::kLower);
  approximation.tolerance = {1e-2, 1e-5, ""};
  std::vector<Column> out{
      status_column(),
      reason_column(),
      std::move(time),
      column("time_low", "lower end of its 95 % bootstrap interval; with runs, of a repetition",
             K::kDerived, "s"),
      column("time_high", "upper end of its 95 % bootstrap interval; with runs, of a repetition",
             K::kDerived, "s"),
      column("time_mean", "mean of the samples", K::kDerived, "s"),
      column("time_std", "their standard deviation", K::kDerived, "s"),
      column("noise", "interquartile range of the samples / their median", K::kDerived)};
  if (settings.phase != SweepPhase::kPrefill) {
    out.insert(out.end(),
               {column("tokens_per_second", "tokens of all sequences / time", K::kDerived, "1/s",
                       Better::kHigher),
                column("bytes_per_token",
                       "bytes of keys, values and scales that a token attends to, of a generation "
                       "their mean",
                       K::kExact, "B", Better::kLower),
                column("bytes_per_second", "bytes_per_token x tokens_per_second", K::kDerived,
                       "B/s", Better::kHigher)});
  }
  if (settings.phase == SweepPhase::kGenerate) {
    out.push_back(column("time_to_first_token",
                         "median of the seconds of a prefill of as many tokens, by flash",
                         K::kDerived, "s", Better::kLower));
  }
  out.insert(
      out.end(),
      {column("macs", "multiply-adds that the operator needs", K::kExact, "MAC"),
       column("flops_per_second", "2 macs / time", K::kDerived, "FLOP/s", Better::kHigher),
       column("peak_share", "flops_per_second over the peak that a probe reached in this run",
              K::kDerived, "", Better::kHigher),
       column("workspace_bytes",
              "memory beside inputs and output: counted by the allocator "
              "and by the kernel's formula",
              K::kExact, "B", Better::kLower),
       column("working_set_bytes", "inputs + output + workspace", K::kExact, "B", Better::kLower),
       std::move(max_error), std::move(ratio), std::move(approximation),
       column("speedup", "time of the baseline / this time", K::kDerived, "", Better::kHigher)});
  return out;
}

std::vector<Column> fit_columns() {
  using K = ColumnKind;
  Column exponent = column("exponent", "e of the power law a n^e", K::kDerived);
  exponent.interval_low = "exponent_low";
  exponent.interval_high = "exponent_high";
  return {
      column("model", "what is fitted to the times, by relative error", K::kParameter),
      column("a", "leading coefficient of the model that is named", K::kDerived),
      column("b", "its constant term", K::kDerived),
      column("c", "its middle coefficient", K::kDerived),
      column("r2", "1 - squares of its relative errors / those of a constant", K::kDerived),
      std::move(exponent),
      column("exponent_low", "lower end of its 95 % bootstrap interval", K::kDerived),
      column("exponent_high", "upper end of its 95 % bootstrap interval", K::kDerived),
      column("memory_exponent", "e of working_set_bytes ~ n^e over the same sizes", K::kDerived),
      column("n_first", "smallest n that the fit sees", K::kDerived),
      column("n_last", "largest n that the fit sees", K::kDerived),
      column("preferred", "whether it predicts sizes that are left out best", K::kDerived),
      column("warning", "what speaks against trusting it", K::kDerived)};
}

std::vector<Column> crossover_columns(const SweepSettings& settings,
                                      const ParameterList& parameters) {
  using K = ColumnKind;
  std::vector<Column> out;
  for (const std::string& axis : sweep_axes(settings)) {
    out.push_back(parameter_column(parameters, axis));
  }
  out.push_back(parameter_column(parameters, "dtype"));
  out.push_back(parameter_column(parameters, "threads"));
  Column n = column("n", "sequence length from which on it is slower", K::kDerived);
  n.interval_low = "n_low";
  n.interval_high = "n_high";
  out.insert(out.end(),
             {column("slower", "kernel that is slower beyond n", K::kParameter),
              column("faster", "kernel that is faster beyond n", K::kParameter), std::move(n),
              column("n_low", "lower end of its 95 % bootstrap interval", K::kDerived),
              column("n_high", "upper end of its 95 % bootstrap interval", K::kDerived),
              column("reason", "how n was found, or why there is none", K::kDerived)});
  return out;
}

// The instruction set that a timed kernel is held against.
Isa peak_isa_of(const SweepKernel& kernel) { return peak_isa(isa_from_name(kernel.isa).value()); }

// The median time of the baseline among the rows of a point: that of the best instruction set which
// was timed, in whatever order they were asked for.
std::optional<double> baseline_time(const SweepSettings& settings,
                                    const std::vector<SweepKernel>& kernels,
                                    const std::vector<std::optional<SampleSummary>>& summaries) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].name != settings.baseline || !summaries[i]) continue;
    if (!best || peak_isa_of(kernels[i]) > peak_isa_of(kernels[*best])) best = i;
  }
  return best ? std::optional(summaries[*best]->median) : std::nullopt;
}

// Of the keys that the operator's pattern leaves to a query, the mean over the queries; NaN where
// there is no cache, or sums are kept in its place.
double bytes_per_token(const SweepSettings& settings, const Problem& problem, Operator op) {
  const bool has_cache = settings.phase != SweepPhase::kGenerate || settings.cache;
  if (!has_cache || !has_softmax(op)) return std::numeric_limits<double>::quiet_NaN();
  const auto sequences = static_cast<double>(problem.batch);
  const double key = static_cast<double>(cache_bytes(problem).value()) / sequences /
                     static_cast<double>(problem.nk);
  const double rows = sequences * static_cast<double>(problem.heads * problem.nq);
  return key * static_cast<double>(total_pairs(problem, op).value()) / rows;
}

void write_times(const SweepSettings& settings, const SweepPoint& point, const SweepKernel& kernel,
                 const SweepRow& found, const SampleSummary& summary, Table::RowWriter& row) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  row.set("time", summary.median)
      .set("time_low", summary.interval ? summary.interval->low : kNothing)
      .set("time_high", summary.interval ? summary.interval->high : kNothing)
      .set("time_mean", summary.mean)
      .set("time_std",
           found.samples.front().size() * found.samples.size() > 1 ? summary.std : kNothing)
      .set("noise", summary.noise);
  if (settings.phase != SweepPhase::kPrefill) {
    const double tokens =
        static_cast<double>(point.problem.batch * point.problem.nq) / summary.median;
    row.set("tokens_per_second", tokens)
        .set("bytes_per_second",
             tokens * bytes_per_token(settings, point.problem, kernel.kernel->op));
  }
  if (!found.first_token.empty()) row.set("time_to_first_token", median(found.first_token));
  const double flops = 2 * static_cast<double>(*found.macs) / summary.median;
  row.set("flops_per_second", flops).set("peak_share", flops / found.peak.value_or(kNothing));
  row.row().time_samples = found.samples;
}

void write_order(const SweepSettings& settings, const SweepPoint& point, const SweepKernel& kernel,
                 const SweepRow& found, Table& table) {
  for (std::size_t process = 0; process < found.orders.size(); ++process) {
    add_sweep_row(settings, point, kernel, table)
        .set("process", process)
        .set("order", Cell(found.orders[process]));
  }
}

void write_peaks(const SweepSettings& settings, const SweepPoint& point,
                 const std::vector<SweepKernel>& kernels, const std::vector<SweepRow>& rows,
                 Table& table) {
  std::map<Isa, double> best;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!rows[i].peak) continue;
    double& peak = best[peak_isa_of(kernels[i])];
    peak = std::max(peak, *rows[i].peak);
  }
  for (const auto& [isa, peak] : best) {
    add_sweep_row(settings, point, {"", std::string(isa_name(isa)), nullptr, ""}, table)
        .set("flops_per_second", peak);
  }
}

}  // namespace

std::vector<Table> sweep_tables(const SweepSettings& settings, const ParameterList& parameters) {
  using K = ColumnKind;
  std::vector<Table> out;
  out.push_back(
      with_columns("sweep", parameter_columns(settings, parameters), sweep_columns(settings)));
  out.push_back(
      with_columns("fits", parameter_columns(settings, parameters, true, false), fit_columns()));
  out.push_back(with_columns("crossovers", crossover_columns(settings, parameters), {}));
  out.push_back(with_columns(
      "exponents", parameter_columns(settings, parameters),
      {column("n_next", "the next larger n that was measured", K::kDerived),
       column("time_exponent", "e of time ~ n^e from n to n_next", K::kDerived),
       column("memory_exponent", "e of working_set_bytes ~ n^e from n to n_next", K::kDerived)},
      true));
  out.push_back(with_columns(
      "order", parameter_columns(settings, parameters),
      {column("process", "which of the processes of --runs", K::kParameter),
       column("order", "places of the row's samples among all of its point, from 0", K::kDerived)},
      true));
  out.push_back(with_columns("peaks", parameter_columns(settings, parameters, false),
                             {column("flops_per_second",
                                     "best rate of multiply-adds on registers, measured beside the "
                                     "kernels of the point",
                                     K::kDerived, "FLOP/s")},
                             true));
  return out;
}

Table::RowWriter add_sweep_row(const SweepSettings& settings, const SweepPoint& point,
                               const SweepKernel& kernel, Table& table) {
  Table::RowWriter row = table.add_row();
  if (!kernel.name.empty()) row.set("kernel", kernel.name);
  row.set("isa", kernel.isa);
  std::vector<std::string> axes = sweep_axes(settings);
  axes.insert(axes.end(), {"dtype", "threads", "n"});
  for (const std::string& axis : axes) {
    const Json value = axis_value(point, axis);
    if (value.is_string()) {
      row.set(axis, value.get<std::string>());
    } else {
      row.set(axis, value.get<std::int64_t>());
    }
  }
  return row;
}

void write_sweep_rows(const SweepSettings& settings, const SweepPoint& point,
                      const std::vector<SweepKernel>& kernels, const std::vector<SweepRow>& rows,
                      std::vector<Table>& tables) {
  std::vector<std::optional<SampleSummary>> summaries(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].samples.empty()) summaries[i] = summarize(rows[i].samples, point.problem.seed);
  }
  const std::optional<double> baseline = baseline_time(settings, kernels, summaries);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& found = rows[i];
    Table::RowWriter row = add_sweep_row(settings, point, kernels[i], tables[kSweepTable]);
    const std::string& reason = found.reason.empty() ? kernels[i].reason : found.reason;
    row.set("status", found.status).set("reason", reason.empty() ? Cell() : Cell(reason));
    const auto or_null = [](const std::optional<std::int64_t>& value) {
      return value ? Cell(*value) : Cell();
    };
    if (settings.phase != SweepPhase::kPrefill && found.macs) {
      row.set("bytes_per_token", bytes_per_token(settings, point.problem, kernels[i].kernel->op));
    }
    row.set("macs", or_null(found.macs))
        .set("workspace_bytes", or_null(found.workspace_bytes))
        .set("working_set_bytes", or_null(found.working_set_bytes));
    if (found.errors) {
      row.set("max_error", found.errors->max_error)
          .set("error_ratio", found.errors->error_ratio)
          .set("approximation_error", found.errors->approximation_error);
    }
    if (!summaries[i]) continue;
    write_times(settings, point, kernels[i], found, *summaries[i], row);
    if (baseline) row.set("speedup", *baseline / summaries[i]->median);
    write_order(settings, point, kernels[i], found, tables[kOrderTable]);
  }
  write_peaks(settings, point, kernels, rows, tables[kPeaksTable]);
}

}  // namespace attnlab
