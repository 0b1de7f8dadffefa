// The list of experiments.
#ifndef ATTNLAB_EXPERIMENTS_REGISTRY_H_
#define ATTNLAB_EXPERIMENTS_REGISTRY_H_

#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.h"

namespace attnlab {

// In the order in which help lists them.
const std::vector<ExperimentInfo>& experiments();
const ExperimentInfo* find_experiment(std::string_view name);  // nullptr when unknown
std::vector<std::string> experiment_names();

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_REGISTRY_H_
