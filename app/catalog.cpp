#include "app/catalog.h"

#include <utility>

#include "app/plan.h"
#include "experiments/registry.h"
#include "report/format.h"

namespace attnlab {
namespace {

Table parameter_table(const ParameterList& parameters) {
  Table out("parameters", "describe",
            {{"name", "key in a config", ColumnKind::kParameter},
             {"flag", "on the command line", ColumnKind::kExact},
             {"default", "value when it is not given", ColumnKind::kExact},
             {"allowed", "values that it may have", ColumnKind::kExact},
             {"unit", "unit of the value", ColumnKind::kExact},
             {"help", "what it is", ColumnKind::kExact}});
  for (const Parameter& parameter : parameters.all()) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
    out.add_row()
        .set("name", parameter.name())
        .set("flag", parameter.flag())
        .set("default", or_null(parameter.default_text()))
        .set("allowed", parameter.allowed())
        .set("unit", or_null(parameter.unit()))
        .set("help", parameter.help());
  }
  return out;
}

Table column_table(const std::vector<Table>& tables) {
  Table out("columns", "describe",
            {{"of", "table that has the column", ColumnKind::kParameter},
             {"name", "name of the column", ColumnKind::kParameter},
             {"unit", "unit of its values", ColumnKind::kExact},
             {"kind", "parameter, exact, measured, timed or derived", ColumnKind::kExact},
             {"better", "lower, higher or none", ColumnKind::kExact},
             {"help", "what it holds", ColumnKind::kExact}});
  for (const Table& table : tables) {
    for (const Column& column : table.columns) {
      out.add_row()
          .set("of", table.base_name)
          .set("name", column.name)
          .set("unit", column.unit.empty() ? Cell() : Cell(column.unit))
          .set("kind", name_of(column.kind))
          .set("better", name_of(column.better))
          .set("help", column.help);
    }
  }
  return out;
}

std::vector<Table> describe_experiment(const ExperimentInfo& info) {
  PlannedExperiment planned = plan_experiment(info, "");
  std::vector<Mistake> none;
  planned.experiment->prepare("", none);
  Table examples("examples", "describe",
                 {{"command", "command line that runs", ColumnKind::kParameter}});
  for (const std::string_view example : info.examples) examples.add_row().set("command", example);
  return {parameter_table(*planned.parameters), column_table(planned.experiment->tables()),
          std::move(examples)};
}

}  // namespace

CatalogSection experiment_section() {
  CatalogSection out{"experiments", "experiment", {}};
  for (const ExperimentInfo& info : experiments()) {
    out.entries.push_back({std::string(info.name), std::string(info.summary),
                           std::string(info.source),
                           [&info] { return describe_experiment(info); }});
  }
  return out;
}

CatalogSection format_section() {
  CatalogSection out{"formats", "format", {}};
  for (const Format& format : formats()) {
    out.entries.push_back(
        {std::string(format.name), std::string(format.summary), "", [&format] {
           Table use(
               "use", "describe",
               {{"flag", "to print it", ColumnKind::kParameter},
                {"extension", "of a file that -o writes in it", ColumnKind::kExact},
                {"needs_flag", "whether such a file needs --format, too", ColumnKind::kExact}});
           use.add_row()
               .set("flag", "--format " + std::string(format.name))
               .set("extension",
                    format.extension.empty() ? format.guest_extension : format.extension)
               .set("needs_flag", format.extension.empty());
           return std::vector{std::move(use)};
         }});
  }
  return out;
}

std::vector<CatalogSection> catalog() {
  return {
      experiment_section(),
      kernel_section(),
      claim_section(),
      format_section(),
  };
}

}  // namespace attnlab
