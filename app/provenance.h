// Where a result comes from: command, config, build, machine. What another person needs to repeat
// it, and a comparison to know whether two results may be compared.
#ifndef ATTNLAB_APP_PROVENANCE_H_
#define ATTNLAB_APP_PROVENANCE_H_

#include <chrono>
#include <string>
#include <vector>

#include "app/plan.h"
#include "base/json.h"
#include "machine/machine.h"
#include "report/table.h"

namespace attnlab {

struct ProvenanceInput {
  std::vector<std::string> command_line;
  Json config;  // merged; null where nothing was run
  int threads = 1;
  Machine machine;
  std::chrono::system_clock::time_point start;
};

// Everything but the duration, which set_duration() adds at the end.
Json provenance(const ProvenanceInput& input);
void set_duration(Json& provenance, double seconds);
// Adds "inputs", which files the experiments read, with their size and time of change; nothing
// where there are none.
void set_inputs(Json& provenance, const Plan& plan);
// Adds "peaks", the limits of the machine that the run measured, from its tables of them; nothing
// where there are none.
void set_peaks(Json& provenance, const std::vector<Table>& tables);

// "2026-11-30T08:15:00Z"
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace attnlab

#endif  // ATTNLAB_APP_PROVENANCE_H_
