#include "app/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "experiments/registry.h"
#include "report/expectation.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;  // of a run

// Takes a text member of an object; its absence is no mistake.
void read_text(const Json& object, const char* key, const std::string& place, std::string& field,
               std::vector<Mistake>& mistakes) {
  if (!object.contains(key)) return;
  if (object[key].is_string()) {
    field = object[key].get<std::string>();
  } else {
    mistakes.push_back({child_place(place, key), shown(object[key]) + " is not a text", ""});
  }
}

// A name becomes the name of a folder.
void check_name(const std::string& name, const std::string& place, std::vector<Mistake>& mistakes) {
  const bool bad = name.empty() || name.size() > 100 || name.front() == '.' ||
                   name.front() == '-' || name.find_first_of("/\\\n\r\t") != std::string::npos ||
                   name.find('\0') != std::string::npos;
  if (bad) {
    mistakes.push_back({child_place(place, "name"), shown(name) + " cannot name a folder",
                        "give a short name without slashes that does not begin with a point"});
  }
}

void read_experiment(const Json& element, const std::string& place, Plan& plan,
                     std::vector<Mistake>& mistakes) {
  if (!element.is_object()) {
    mistakes.push_back(
        {place, shown(element) + " is not an object", "write {\"experiment\": ...}"});
    return;
  }
  if (!element.contains("experiment") || !element["experiment"].is_string()) {
    mistakes.push_back({child_place(place, "experiment"), "is missing, or not a text",
                        "one of " + join(experiment_names(), ", ")});
    return;
  }
  const auto name = element["experiment"].get<std::string>();
  const ExperimentInfo* info = find_experiment(name);
  if (info == nullptr) {
    mistakes.push_back({child_place(place, "experiment"), "unknown experiment " + printable(name),
                        suggest(name, experiment_names())});
    return;
  }
  PlannedExperiment planned = plan_experiment(*info, place);
  const std::size_t before = mistakes.size();
  read_text(element, "title", place, planned.title, mistakes);
  if (element.contains("expect")) planned.expect = element["expect"];
  planned.parameters->read(element, place, {"experiment", "title", "expect"}, mistakes);
  planned.is_readable = mistakes.size() == before;
  plan.experiments.push_back(std::move(planned));
}

// A grid that is far too large would take all memory before its first point.
void check_grid(const PlannedExperiment& planned, std::vector<Mistake>& mistakes) {
  double points = 1;
  std::vector<std::string> factors;
  const Parameter* longest = nullptr;
  for (const Parameter& parameter : planned.parameters->all()) {
    if (parameter.size() < 2) continue;
    points *= static_cast<double>(parameter.size());
    factors.push_back(fmt::format("{} {}", parameter.size(), parameter.name()));
    if (longest == nullptr || parameter.size() > longest->size()) longest = &parameter;
  }
  if (points <= static_cast<double>(kMostPoints)) return;
  mistakes.push_back({child_place(planned.place, longest->name()),
                      fmt::format("the grid has {:.4g} points ({})", points, join(factors, " x ")),
                      fmt::format("a run takes {} at most; shorten a list", kMostPoints)});
}

}  // namespace

std::vector<std::vector<Point>> Plan::points() const {
  std::vector<std::vector<Point>> out;
  for (const PlannedExperiment& planned : experiments) out.push_back(planned.points);
  return out;
}

Json PlannedExperiment::config() const {
  Json out = {{"experiment", info->name}};
  if (!title.empty()) out["title"] = title;
  out.update(parameters->values());
  if (!expect.empty()) out["expect"] = expect;
  return out;
}

Json Plan::config() const {
  Json list = Json::array();
  for (const PlannedExperiment& planned : experiments) list.push_back(planned.config());
  return {{"name", name}, {"experiments", list}};
}

PlannedExperiment plan_experiment(const ExperimentInfo& info, std::string place) {
  PlannedExperiment out;
  out.info = &info;
  out.place = std::move(place);
  out.experiment = info.make();
  out.parameters = std::make_unique<ParameterList>();
  out.experiment->declare(*out.parameters);
  return out;
}

Plan read_plan(const Json& config, const std::string& place, std::vector<Mistake>& mistakes) {
  Plan plan;
  if (!config.is_object()) {
    mistakes.push_back(
        {place, "is not an object", "write {\"name\": ..., \"experiments\": [...]}"});
    return plan;
  }
  const std::vector<std::string> known = {"$schema", "name", "experiments"};
  for (const auto& [key, value] : config.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      mistakes.push_back({child_place(place, key), "unknown key", suggest(key, known)});
    }
  }
  read_text(config, "name", place, plan.name, mistakes);
  check_name(plan.name, place, mistakes);
  const Json list = config.value("experiments", Json());
  if (!list.is_array() || list.empty()) {
    mistakes.push_back({child_place(place, "experiments"), "is missing, empty or not a list",
                        "write [{\"experiment\": ...}, ...]"});
    return plan;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    read_experiment(list[i], child_place(child_place(place, "experiments"), i), plan, mistakes);
  }
  return plan;
}

void settle_plan(Plan& plan, bool quick, std::vector<Mistake>& mistakes) {
  std::size_t points = 0;
  for (PlannedExperiment& planned : plan.experiments) {
    for (Parameter& parameter : planned.parameters->all()) {
      if (quick && parameter.make_quick()) planned.made_quick = true;
    }
    const std::size_t before = mistakes.size();
    if (planned.is_readable) check_grid(planned, mistakes);
    if (planned.is_readable && mistakes.size() == before) {
      planned.experiment->prepare(planned.place, mistakes);
    }
    if (planned.is_readable && mistakes.size() == before) {
      planned.points = planned.experiment->points();
      points += planned.points.size();
    }
    check_expectations(planned.expect, planned.experiment->tables(),
                       child_place(planned.place, "expect"), mistakes);
  }
  if (mistakes.empty() && points > kMostPoints) {
    mistakes.push_back({plan.name, fmt::format("has {} points in all", points),
                        fmt::format("a run takes {} at most; split it", kMostPoints)});
  }
}

}  // namespace attnlab
