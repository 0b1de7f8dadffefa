#include "app/plan.h"

#include <set>

#include "app/catalog.h"
#include "app/config_schema.h"
#include "experiments/registry.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

Plan settled(const Json& config, std::vector<Mistake>& mistakes, bool quick = false) {
  Plan plan = read_plan(config, "x:", mistakes);
  settle_plan(plan, quick, mistakes);
  return plan;
}

}  // namespace

TEST_CASE("every experiment keeps to the promises of its interface", "[app]") {
  for (const ExperimentInfo& info : experiments()) {
    INFO(info.name);
    std::vector<Mistake> mistakes;
    const Json config = {{"name", "x"},
                         {"experiments", Json::array({{{"experiment", info.name}}})}};
    const Plan plan = settled(config, mistakes);
    REQUIRE(mistakes.empty());
    const PlannedExperiment& planned = plan.experiments[0];
    CHECK_FALSE(planned.points.empty());
    CHECK_FALSE(info.examples.empty());
    CHECK_FALSE(info.source.empty());
    const std::vector<Table> tables = planned.experiment->tables();
    CHECK(tables[0].name == info.name);
    CHECK(tables[0].index_of("status") >= 0);
    CHECK(tables[0].index_of("reason") >= 0);
    for (const Table& table : tables) {
      std::set<std::string> names;
      for (const Column& column : table.columns) {
        INFO(table.name << "." << column.name);
        CHECK(names.insert(column.name).second);
        CHECK_FALSE(column.help.empty());
        CHECK((column.interval_low.empty() || table.index_of(column.interval_low) >= 0));
      }
    }
    for (const Parameter& parameter : planned.parameters->all()) {
      INFO(parameter.name());
      CHECK_FALSE(parameter.help().empty());
    }
    // The config that is printed gives the same plan again.
    std::vector<Mistake> again;
    CHECK(settled(plan.config(), again).config() == plan.config());
    CHECK(again.empty());
  }
}

TEST_CASE("a grid of over a million points is refused before it is made", "[app]") {
  std::vector<Mistake> mistakes;
  settled(Json::parse(R"({"name": "x", "experiments": [{"experiment": "entropy",
          "d": "1:100000", "keys": "1:1000", "temperature": "0:1000"}]})"),
          mistakes);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].place == "x: experiments[0].d");
  CHECK(mistakes[0].problem.find("2.002e+11 points (100000 d x 1000 keys x 2 scale x 1001 temp") !=
        std::string::npos);
}

TEST_CASE("names in the catalogue are unique", "[app]") {
  std::set<std::string> names;
  for (const CatalogSection& section : catalog()) {
    for (const CatalogEntry& entry : section.entries) CHECK(names.insert(entry.name).second);
  }
}

TEST_CASE("the schema of configs has every parameter and its aliases", "[app]") {
  const Json schema = config_schema();
  for (const ExperimentInfo& info : experiments()) {
    const Json& properties = schema["$defs"][std::string(info.name)]["properties"];
    const PlannedExperiment planned = plan_experiment(info, "");
    for (const std::string& name : planned.parameters->names()) CHECK(properties.contains(name));
    CHECK(properties.size() == planned.parameters->names().size() + 3);
  }
}
