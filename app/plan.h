// From configs and flags to experiments that are ready to run.
#ifndef ATTNLAB_APP_PLAN_H_
#define ATTNLAB_APP_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/parameter.h"
#include "experiments/experiment.h"

namespace attnlab {

struct PlannedExperiment {
  const ExperimentInfo* info = nullptr;
  std::unique_ptr<Experiment> experiment;
  std::unique_ptr<ParameterList> parameters;  // bound to the experiment
  std::string place;        // where it was asked for: "configs/a.json: experiments[0]", or kFlags
  bool is_readable = true;  // its parameters could be read; their combination is not checked before
  std::string title;
  Json expect = Json::array();
  bool made_quick = false;    // --quick changed it, so its expectations are not checked
  std::vector<Point> points;  // once it is settled

  Json config() const;  // its element of "experiments", every value spelled out
};

struct Plan {
  std::string name;
  std::vector<PlannedExperiment> experiments;

  Json config() const;  // the merged config, itself runnable
  std::vector<std::vector<Point>> points() const;
};

// An experiment with its parameters at their defaults.
PlannedExperiment plan_experiment(const ExperimentInfo& info, std::string place);

// Reads a whole config. Mistakes are collected, not thrown, but for a text that is no JSON at all.
Plan read_plan(const Json& config, const std::string& place, std::vector<Mistake>& mistakes);

// Settles a plan once flags have been laid over it: --quick, the checks across parameters, the
// points, the form of the expectations.
void settle_plan(Plan& plan, bool quick, std::vector<Mistake>& mistakes);

}  // namespace attnlab

#endif  // ATTNLAB_APP_PLAN_H_
