#include "experiments/registry.h"

#include <algorithm>

namespace attnlab {

ExperimentInfo variance_experiment();
ExperimentInfo entropy_experiment();
ExperimentInfo cost_experiment();
ExperimentInfo contract_experiment();
ExperimentInfo sweep_experiment();
ExperimentInfo inspect_experiment();
ExperimentInfo profile_experiment();
ExperimentInfo verify_experiment();

const std::vector<ExperimentInfo>& experiments() {
  static const std::vector<ExperimentInfo> kExperiments = {
      variance_experiment(), entropy_experiment(), cost_experiment(),    contract_experiment(),
      sweep_experiment(),    inspect_experiment(), profile_experiment(), verify_experiment(),
  };
  return kExperiments;
}

const ExperimentInfo* find_experiment(std::string_view name) {
  const auto& all = experiments();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ExperimentInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> out;
  for (const ExperimentInfo& info : experiments()) out.emplace_back(info.name);
  return out;
}

}  // namespace attnlab
