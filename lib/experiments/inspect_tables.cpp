#include "experiments/inspect_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

const Tolerance kSame{1e-5, 1e-6, ""};  // what the streamed statistics promise

Cell scale_cell(const ScaleRule& scale) {
  const Json value = ParameterType<ScaleRule>::to(scale);
  return value.is_string() ? Cell(value.get<std::string>()) : Cell(value.get<double>());
}

// The columns that find a row.
std::vector<Column> key_columns(const InspectSettings& settings, const ParameterList& parameters,
                                bool has_batch_and_head = true) {
  std::vector<Column> out;
  for (const std::string& axis : settings.axes()) {
    out.push_back(parameter_column(parameters, axis));
  }
  if (!has_batch_and_head) return out;
  out.push_back({"layer", "layer, from 0, or what the * stands for", ColumnKind::kParameter});
  out.push_back({"batch", "sequence, from 0", ColumnKind::kParameter});
  out.push_back({"head", "query head, from 0; all: the layer together", ColumnKind::kParameter});
  return out;
}

void add(std::vector<Column>& columns, std::string name, std::string help, std::string unit = "",
         ColumnKind kind = ColumnKind::kMeasured) {
  columns.push_back({.name = std::move(name),
                     .help = std::move(help),
                     .kind = kind,
                     .unit = std::move(unit),
                     .tolerance = kind == ColumnKind::kMeasured ? kSame : Tolerance{}});
}

std::string flags_help() {
  std::string out = "saturated, collapsed, sink or uniform";
  for (const FlagRule& rule : flag_rules()) out += fmt::format("; {}: {}", rule.name, rule.rule);
  return out;
}

Table main_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns = key_columns(settings, parameters);
  add(columns, "entropy", "entropy of a row of weights, mean over the queries", "bit");
  add(columns, "entropy_min", "smallest entropy of a row", "bit");
  add(columns, "entropy_max", "largest entropy of a row", "bit");
  add(columns, "max_weight", "largest of all weights");
  add(columns, "mean_max_weight", "largest weight of a row, mean over the queries");
  add(columns, "spread", "largest minus smallest of all scores, as the softmax sees them");
  add(columns, "gradient_scale", "largest p(1-p) of all weights, at most 0.25");
  add(columns, "mean_gradient_scale", "largest p(1-p) of a row, mean over the queries");
  add(columns, "max_logit", "largest |scale q.k| of visible keys");
  add(columns, "max_logit_unscaled", "largest |q.k| of visible keys");
  add(columns, "sink_mass", "weight on key 0, mean over the queries that see it");
  add(columns, "effective_keys", "2^entropy of a row, mean over the queries");
  add(columns, "zero_share",
      "share of the visible keys' weights that are below 2^-149: exact zeros "
      "in float32");
  const ColumnKind exact = ColumnKind::kExact;
  add(columns, "masked_rows", "queries that see no key; they are left out of all means", "", exact);
  add(columns, "nonfinite",
      "NaN and Inf among the numbers of q, k and v; queries that see one are "
      "left out",
      "", exact);
  add(columns, "flags", flags_help(), "", exact);
  columns.push_back(status_column());
  columns.push_back(reason_column());
  return {"inspect", "inspect", std::move(columns)};
}

// The lesson's four, which the widget shows.
Table readouts_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns = key_columns(settings, parameters, false);
  add(columns, "spread", "largest minus smallest of all scores, as the softmax sees them");
  add(columns, "entropy", "entropy of a row of weights, mean over the queries", "bit");
  add(columns, "max_weight", "largest of all weights");
  add(columns, "gradient_scale", "largest p(1-p) of all weights, at most 0.25");
  add(columns, "flags", flags_help(), "", ColumnKind::kExact);
  return {"readouts", "inspect", std::move(columns)};
}

Table weights_table(const InspectSettings& settings, const ParameterList& parameters) {
  const bool is_words = settings.input() == InspectInput::kWords;
  std::vector<Column> columns = key_columns(settings, parameters);
  add(columns, "query", "query, from 0", "", ColumnKind::kParameter);
  add(columns, "key", "key, from 0", "", ColumnKind::kParameter);
  if (is_words) {
    add(columns, "query_token", "its word", "", ColumnKind::kExact);
    add(columns, "key_token", "the key's word", "", ColumnKind::kExact);
  }
  add(columns, "weight", "weight of the key for the query; 0 where it is hidden");
  Table out("weights", "inspect", std::move(columns));
  out.matrix = {.row = "query",
                .column = "key",
                .value = "weight",
                .row_label = is_words ? "query_token" : "query",
                .column_label = is_words ? "key_token" : "key"};
  return out;
}

Table map_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns = key_columns(settings, parameters);
  add(columns, "query_first", "first query of the cell", "", ColumnKind::kParameter);
  add(columns, "query_last", "last query of the cell", "", ColumnKind::kExact);
  add(columns, "key_first", "first key of the cell", "", ColumnKind::kParameter);
  add(columns, "key_last", "last key of the cell", "", ColumnKind::kExact);
  add(columns, "weight", "sum of the weights of the cell's keys, mean over its queries");
  Table out("map", "inspect", std::move(columns));
  out.is_detail = true;
  return out;
}

Table sinks_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns = key_columns(settings, parameters);
  add(columns, "key", "a key with a mean weight above 0.3", "", ColumnKind::kParameter);
  add(columns, "queries", "queries that see it, at least 64", "", ColumnKind::kExact);
  add(columns, "mean_weight", "its weight, mean over these queries");
  return {"sinks", "inspect", std::move(columns)};
}

Table norms_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns;
  if (settings.is_drawn() && settings.d.size() > 1) {
    columns.push_back(parameter_column(parameters, "d"));
  }
  columns.push_back({"layer", "layer", ColumnKind::kParameter});
  columns.push_back({"batch", "sequence, from 0", ColumnKind::kParameter});
  columns.push_back({"tensor", "q, k or v", ColumnKind::kParameter});
  columns.push_back({"head", "head of that tensor, from 0", ColumnKind::kParameter});
  add(columns, "norm", "Euclidean norm of a row, mean over those that are finite");
  add(columns, "norm_min", "smallest norm of a row");
  add(columns, "norm_max", "largest norm of a row");
  add(columns, "nonfinite", "NaN and Inf among the head's numbers", "", ColumnKind::kExact);
  add(columns, "first_nonfinite", "[row, component] of the first of them", "", ColumnKind::kExact);
  Table out("norms", "inspect", std::move(columns));
  out.is_detail = true;
  return out;
}

Table draws_table(const InspectSettings& settings, const ParameterList& parameters) {
  std::vector<Column> columns = key_columns(settings, parameters, false);
  add(columns, "draws", "other seeds that were drawn", "", ColumnKind::kExact);
  add(columns, "saturated", "how many of them are saturated", "", ColumnKind::kExact);
  add(columns, "saturated_share", "the same as a share");
  for (const char* name : {"spread", "entropy", "max_weight", "gradient_scale"}) {
    add(columns, name, std::string("mean ") + name + " over the draws",
        std::string_view(name) == "entropy" ? "bit" : "");
  }
  return {"draws", "inspect", std::move(columns)};
}

Table list_table() {
  std::vector<Column> columns;
  add(columns, "name", "of the array", "", ColumnKind::kParameter);
  add(columns, "type", "as the file writes it", "", ColumnKind::kExact);
  add(columns, "shape", "sizes of its axes", "", ColumnKind::kExact);
  add(columns, "operand", "whether it can be q, k or v", "", ColumnKind::kExact);
  columns.push_back(status_column());
  columns.push_back(reason_column());
  return {"inspect", "inspect", std::move(columns)};
}

}  // namespace

std::vector<Table> inspect_tables(const InspectSettings& settings,
                                  const ParameterList& parameters) {
  if (settings.input() == InspectInput::kList) return {list_table()};
  std::vector<Table> out{main_table(settings, parameters)};
  out.push_back(weights_table(settings, parameters));
  if (settings.input() == InspectInput::kWords) {
    out.front().is_detail = true;
    out.push_back(readouts_table(settings, parameters));
    if (settings.draws > 0) out.push_back(draws_table(settings, parameters));
  }
  if (settings.map) out.push_back(map_table(settings, parameters));
  if (settings.sinks) out.push_back(sinks_table(settings, parameters));
  out.push_back(norms_table(settings, parameters));
  return out;
}

bool has_inspect_table(const std::vector<Table>& tables, std::string_view base_name) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const Table& table) { return table.base_name == base_name; });
}

Table& inspect_table(std::vector<Table>& tables, std::string_view base_name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.base_name == base_name; });
  ATTNLAB_CHECK(found != tables.end());
  return *found;
}

Table::RowWriter add_inspect_row(const InspectSettings& settings, const InspectPlace& place,
                                 Table& table) {
  Table::RowWriter row = table.add_row();
  const std::vector<std::string> axes = settings.axes();
  for (const std::string& axis : axes) {
    if (table.index_of(axis) < 0) continue;
    if (axis == "d") row.set("d", place.point->d);
    if (axis == "scale") row.set("scale", scale_cell(place.point->scale));
    if (axis == "temperature") row.set("temperature", place.point->temperature);
  }
  if (table.index_of("layer") < 0) return row;
  row.set("layer", place.layer).set("batch", place.batch).set("head", place.head);
  return row;
}

void set_readouts(Table::RowWriter& row, const Readouts& r, std::int64_t nonfinite,
                  const std::string& flags) {
  row.set("entropy", r.entropy)
      .set("entropy_min", r.entropy_min)
      .set("entropy_max", r.entropy_max)
      .set("max_weight", r.max_weight)
      .set("mean_max_weight", r.mean_max_weight)
      .set("spread", r.spread)
      .set("gradient_scale", r.gradient_scale)
      .set("mean_gradient_scale", r.mean_gradient_scale)
      .set("max_logit", r.max_logit)
      .set("max_logit_unscaled", r.max_logit_unscaled)
      .set("sink_mass", r.sink_mass)
      .set("effective_keys", r.effective_keys)
      .set("zero_share", r.zero_share)
      .set("masked_rows", r.masked_rows)
      .set("nonfinite", nonfinite)
      .set("flags", flags);
}

std::string point_text(const InspectSettings& settings, const InspectPoint& point) {
  std::vector<std::string> parts;
  for (const std::string& axis : settings.axes()) {
    if (axis == "d") parts.push_back(fmt::format("d {}", point.d));
    if (axis == "scale") parts.push_back("scale " + cell_text(scale_cell(point.scale)));
    if (axis == "temperature") parts.push_back("temperature " + number_text(point.temperature));
  }
  return join(parts, ", ");
}

}  // namespace attnlab
