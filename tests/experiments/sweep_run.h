// What the tests of sweep and profile share: one planned experiment, run, and its tables.
#ifndef ATTNLAB_TESTS_EXPERIMENTS_SWEEP_RUN_H_
#define ATTNLAB_TESTS_EXPERIMENTS_SWEEP_RUN_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "attention/registry.h"
#include "base/json.h"
#include "experiments/experiment.h"
#include "experiments/registry.h"
#include "experiments/sweep_tables.h"

namespace attnlab {

// One planned sweep (or another experiment on kernels), run unless it has mistakes.
class Run {
 public:
  explicit Run(Json config, const char* experiment = "sweep", bool runs = true)
      : experiment_(find_experiment(experiment)->make()) {
    const Json defaults = {{"repeats", 2}, {"min_time", 0}, {"n", 5}};
    for (const auto& [key, value] : defaults.items()) {
      if (!config.contains(key)) config[key] = value;
    }
    experiment_->declare(list_);
    list_.read(config, "", {}, mistakes);
    if (mistakes.empty()) experiment_->prepare("", mistakes);
    if (!mistakes.empty()) return;
    tables = experiment_->tables();
    ThreadTeam team(1);
    Watch watch;
    RunContext context{team, watch};
    points = experiment_->points();
    if (!runs) return;
    for (std::size_t i = 0; i < points.size(); ++i) experiment_->run(i, context, tables);
    experiment_->finish(tables);
  }

  const Table& table() const { return tables[kSweepTable]; }
  Cell at(std::size_t row, const char* column) const {
    return table().at(table().rows.at(row), column);
  }
  double real(std::size_t row, const char* column) const {
    return std::get<double>(at(row, column));
  }
  std::int64_t whole(std::size_t row, const char* column) const {
    return std::get<std::int64_t>(at(row, column));
  }
  bool all(const char* column, const Cell& value) const {
    return std::all_of(table().rows.begin(), table().rows.end(),
                       [&](const Row& row) { return table().at(row, column) == value; });
  }

  std::vector<Mistake> mistakes;
  std::vector<Table> tables;
  std::vector<Point> points;

 private:
  std::unique_ptr<Experiment> experiment_;
  ParameterList list_;
};

inline Json all_kernels() {
  std::set<std::string> names;
  for (const Kernel& kernel : kernels()) names.emplace(kernel.name);
  return Json(names);
}

inline const Cell kOk = std::string("ok");

inline std::vector<Table> empty_tables() {
  SweepSettings settings;
  ParameterList list;
  settings.declare(list);
  return sweep_tables(settings, list);
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_EXPERIMENTS_SWEEP_RUN_H_
