#include "experiments/contract_tables.h"

#include <string>
#include <utility>

namespace attnlab {
namespace {

using K = ColumnKind;

Column column(std::string name, std::string help, ColumnKind kind, std::string unit = "",
              Better better = Better::kNone) {
  return Column{.name = std::move(name),
                .help = std::move(help),
                .kind = kind,
                .unit = std::move(unit),
                .better = better};
}

// The columns that find a row.
std::vector<Column> key_columns(const ParameterList& parameters, bool is_expression) {
  if (is_expression) {
    return {column("expression", "indices of the operands and of the result", K::kParameter),
            column("sizes", "sizes of the indices", K::kParameter)};
  }
  return {column("preset", "one of the lesson's expressions", K::kParameter),
          parameter_column(parameters, "n"), parameter_column(parameters, "heads"),
          parameter_column(parameters, "d"), parameter_column(parameters, "batch")};
}

std::vector<Column> count_columns() {
  return {
      column("result_shape", "sizes of the indices that stay", K::kExact),
      column("elements", "of the result", K::kExact),
      column("macs", "multiply-adds, operands contracted in pairs in the cheapest order", K::kExact,
             "MAC"),
      column("macs_per_element", "macs / elements", K::kExact, "MAC"),
      column("additions", "of sums within one operand, which multiply nothing", K::kExact),
      column("blas", "the BLAS call that does it; of several steps joined by +", K::kExact),
      column("bytes", "float32: each operand read once, the result written once", K::kExact, "B"),
      column("intensity", "FLOPs / bytes; a multiply-add is two", K::kExact, "FLOP/B")};
}

std::vector<Column> time_columns() {
  Column time = column("time", "seconds of a call by BLAS, all threads: the median", K::kTimed, "s",
                       Better::kLower);
  time.interval_low = "time_low";
  time.interval_high = "time_high";
  return {std::move(time),
          column("time_low", "lower end of its 95 % bootstrap interval", K::kDerived, "s"),
          column("time_high", "upper end of its 95 % bootstrap interval", K::kDerived, "s"),
          column("flops_per_second", "2 macs / time", K::kDerived, "FLOP/s", Better::kHigher),
          column("peak_share", "flops_per_second over the peak of a probe beside it", K::kDerived,
                 "", Better::kHigher),
          column("max_error",
                 "largest absolute difference to plain loops in float64, over the elements that "
                 "were checked",
                 K::kDerived)};
}

void append(std::vector<Column>& to, std::vector<Column> columns) {
  for (Column& one : columns) to.push_back(std::move(one));
}

}  // namespace

std::vector<Table> contract_tables(const ParameterList& parameters, bool is_expression,
                                   bool is_measured) {
  std::vector<Column> contract = key_columns(parameters, is_expression);
  if (!is_expression) {
    contract.push_back(
        column("expression", "indices of the operands and of the result", K::kExact));
  }
  append(contract, count_columns());
  if (is_measured) append(contract, time_columns());
  contract.push_back(status_column());
  contract.push_back(reason_column());

  // Of one expression the indices alone tell the rows apart.
  std::vector<Column> keys;
  if (!is_expression) keys = key_columns(parameters, is_expression);
  std::vector<Column> indices = keys;
  append(indices,
         {column("index", "a letter, or ...0 for what \"...\" stands for", K::kParameter),
          column("size", "its size", K::kExact), column("role", "stays, or is summed", K::kExact)});

  std::vector<Column> steps = keys;
  append(steps, {column("step", "from 1", K::kParameter),
                 column("left", "indices of the left operand", K::kExact),
                 column("right", "indices of the right operand", K::kExact),
                 column("result", "indices of what the step leaves", K::kExact),
                 column("summed", "indices that it sums", K::kExact),
                 column("blas", "the BLAS call that does it", K::kExact),
                 column("macs", "multiply-adds", K::kExact, "MAC")});
  Table detail("steps", "contract", std::move(steps));
  detail.is_detail = true;
  return {Table("contract", "contract", std::move(contract)),
          Table("indices", "contract", std::move(indices)), std::move(detail)};
}

}  // namespace attnlab
