#include "app/config_schema.h"

#include <utility>

#include "app/plan.h"
#include "experiments/registry.h"

namespace attnlab {
namespace {

// What a cell may be expected to be (report/expectation.h).
Json expected_schema() {
  const Json number = {{"type", "number"}};
  const Json positive = {{"type", "number"}, {"minimum", 0}};
  const auto within = [&](const char* how) {
    return Json{{"type", "object"},
                {"properties", {{"value", number}, {how, positive}}},
                {"required", {"value", how}},
                {"additionalProperties", false}};
  };
  return {{"description",
           "a printed number (\"4.03\"), an exact value, a value with abs or rel, or bounds"},
          {"anyOf",
           {{{"type", {"number", "string", "boolean", "null"}}},
            {{"type", "array"}, {"items", {{"type", "integer"}}}},
            within("abs"),
            within("rel"),
            {{"type", "object"},
             {"properties", {{"min", number}, {"max", number}}},
             {"minProperties", 1},
             {"additionalProperties", false}}}}};
}

Json experiment_schema(const ExperimentInfo& info) {
  const PlannedExperiment planned = plan_experiment(info, "");
  Json properties = {
      {"experiment", {{"const", info.name}}},
      {"title", {{"type", "string"}, {"description", "heading of its tables"}}},
      {"expect",
       {{"type", "array"},
        {"description", "rows that must be found, with the values that they must have"},
        {"items",
         {{"type", "object"},
          {"minProperties", 1},
          {"properties", {{"table", {{"type", "string"}}}}},
          {"additionalProperties", {{"$ref", "#/$defs/expected"}}}}}}}};
  Json clashes = Json::array();
  for (const Parameter& parameter : planned.parameters->all()) {
    properties[parameter.name()] = parameter.schema();
    for (const std::string& alias : parameter.aliases()) {
      properties[alias] = parameter.schema();
      properties[alias]["description"] = "the same as " + parameter.name();
      clashes.push_back({{"not", {{"required", {parameter.name(), alias}}}}});
    }
  }
  Json out = {{"type", "object"},
              {"description", info.summary},
              {"properties", std::move(properties)},
              {"required", {"experiment"}},
              {"additionalProperties", false}};
  if (!clashes.empty()) out["allOf"] = std::move(clashes);
  return out;
}

}  // namespace

Json config_schema() {
  Json defs = {{"expected", expected_schema()}};
  Json choices = Json::array();
  for (const ExperimentInfo& info : experiments()) {
    defs[std::string(info.name)] = experiment_schema(info);
    // One condition an experiment: a validator then names the key that is wrong, not every schema
    // that did not fit.
    choices.push_back({{"if", {{"properties", {{"experiment", {{"const", info.name}}}}}}},
                       {"then", {{"$ref", "#/$defs/" + std::string(info.name)}}}});
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "attnlab config"},
          {"type", "object"},
          {"properties",
           {{"$schema", {{"type", "string"}}},
            {"name",
             {{"type", "string"},
              {"description", "names the run and the folder of its results"},
              {"minLength", 1},
              {"maxLength", 100},
              {"pattern", "^[^./\\\\-][^/\\\\]*$"}}},
            {"experiments",
             {{"type", "array"},
              {"minItems", 1},
              {"items",
               {{"type", "object"},
                {"properties", {{"experiment", {{"enum", experiment_names()}}}}},
                {"required", {"experiment"}},
                {"allOf", choices}}}}}}},
          {"required", {"name", "experiments"}},
          {"additionalProperties", false},
          {"$defs", defs}};
}

}  // namespace attnlab
