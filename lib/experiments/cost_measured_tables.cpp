// What `cost --measure` adds to the tables: columns of `cost`, and tables of its own.
#include <utility>

#include "experiments/cost_tables.h"
#include "experiments/peaks_table.h"

namespace attnlab {
namespace {

using K = ColumnKind;

Column derived(std::string name, std::string help, std::string unit = "",
               Better better = Better::kNone) {
  return {std::move(name), std::move(help), K::kDerived, std::move(unit), better};
}

// A value with its 95 % interval.
void add_with_interval(std::vector<Column>& to, Column column) {
  const std::string name = column.name, unit = column.unit;
  column.interval_low = name + "_low";
  column.interval_high = name + "_high";
  to.push_back(std::move(column));
  to.push_back(derived(name + "_low", "lower end of its 95 % bootstrap interval", unit));
  to.push_back(derived(name + "_high", "upper end of its 95 % bootstrap interval", unit));
}

Column timed(std::string name, std::string help) {
  return {std::move(name), std::move(help), K::kTimed, "s", Better::kLower};
}

std::vector<Column> cost_columns() {
  std::vector<Column> out{
      derived("projection_time", "of the projections, by BLAS (median)", "s", Better::kLower),
      derived("ffn_time", "of the feed-forward layer, by BLAS (median)", "s", Better::kLower),
      derived("attention_time", "of attention in three steps, by BLAS (median)", "s",
              Better::kLower),
      derived("fused_time", "of fused attention (median)", "s", Better::kLower)};
  add_with_interval(out, derived("measured_ratio", "attention_time / projection_time"));
  add_with_interval(out, derived("fused_ratio", "fused_time / projection_time"));
  for (const auto& [name, attention] :
       {std::pair("measured", "attention in three steps"), std::pair("fused", "fused attention")}) {
    const std::string what = std::string("n from which ") + attention + " takes longer than ";
    add_with_interval(out, derived(std::string(name) + "_crossover_n", what + "the projections"));
    add_with_interval(out, derived(std::string(name) + "_crossover_n_all_linear",
                                   what + "projections and feed-forward"));
  }
  return out;
}

std::vector<Column> measured_columns() {
  std::vector<Column> out{
      {"part",
       "attention: the three steps; contractions: those without their softmax; softmax: the "
       "difference; fused: attention in one kernel",
       K::kParameter},
      {"kernel", "what computes it", K::kParameter},
      status_column(),
      reason_column(),
      {"macs", "multiply-adds", K::kExact, "MAC"}};
  add_with_interval(out, timed("time", "seconds of a call (median)"));
  for (Column& column : std::vector<Column>{
           derived("time_per_mac", "time / macs", "s", Better::kLower),
           derived("flops_per_second", "2 macs / time", "FLOP/s", Better::kHigher),
           derived("peak_share",
                   "flops_per_second over the best of a probe beside the part's calls", "",
                   Better::kHigher),
           derived("intensity",
                   "2 macs over bytes, each operand read once and each result written "
                   "once",
                   "FLOP/B")}) {
    out.push_back(std::move(column));
  }
  return out;
}

std::vector<Column> generation_columns() {
  std::vector<Column> out{
      {"cache_bytes", "cached keys and values that a token reads in a layer", K::kExact, "B"}};
  add_with_interval(out, timed("attention_time", "of one token a sequence in a layer (median)"));
  for (Column& column : std::vector<Column>{
           {"macs", "multiply-adds of attention", K::kExact, "MAC"},
           derived("flops_per_second", "2 macs / attention_time", "FLOP/s", Better::kHigher),
           derived("intensity", "2 macs / cache_bytes", "FLOP/B"),
           derived("bytes_per_second", "cache_bytes / attention_time", "B/s", Better::kHigher),
           derived("read_bandwidth", "of a loop that only reads the same numbers, in turns", "B/s",
                   Better::kHigher),
           derived("bandwidth_share", "bytes_per_second / read_bandwidth", "", Better::kHigher),
           {"weight_bytes", "weights that a token meets in a layer", K::kExact, "B"}}) {
    out.push_back(std::move(column));
  }
  add_with_interval(out, derived("linear_time", "of projections and feed-forward in a layer", "s",
                                 Better::kLower));
  for (Column& column : std::vector<Column>{
           derived("token_time", "layers x (attention_time + linear_time)", "s", Better::kLower),
           derived("tokens_per_second", "batch / token_time", "", Better::kHigher),
           derived("time_to_first_token",
                   "layers x (projections + fused attention + feed-forward) of n tokens", "s",
                   Better::kLower)}) {
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace

void add_measured_tables(const ParameterList& parameters, bool of_models,
                         std::vector<Table>& tables) {
  Table& cost = tables[CostTables::kCost];
  std::vector<Column> more = cost_columns();
  cost.columns.insert(cost.columns.begin() + cost.index_of("status"),
                      std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  const Column n = parameter_column(parameters, "n");
  std::vector<Column> keys{n};
  if (of_models) keys.insert(keys.begin(), {"model", "file of the model", K::kParameter});
  std::vector<Column> typed = keys;
  typed.insert(typed.end() - 1, {"layer_type", "kind of layer; all: the sum", K::kParameter});
  std::vector<Column> layered = typed;
  layered.insert(layered.end() - 1, parameter_column(parameters, "layers"));
  const auto table = [](const char* name, std::vector<Column> columns, std::vector<Column> values) {
    columns.insert(columns.end(), std::make_move_iterator(values.begin()),
                   std::make_move_iterator(values.end()));
    return Table(name, "cost", std::move(columns));
  };
  tables.push_back(table("measured", std::move(typed), measured_columns()));
  tables.push_back(table("generation", std::move(layered), generation_columns()));
  tables.push_back(peaks_table("cost", std::move(keys)));
  tables.back().is_detail = true;
}

}  // namespace attnlab
