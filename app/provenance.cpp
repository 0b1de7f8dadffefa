#include "app/provenance.h"

#include <ctime>
#include <filesystem>

#include "app/build_info.h"
#include "io/tensor_file.h"
#include "machine/blas.h"
#include "machine/blas_core.h"
#include "machine/isa.h"

namespace attnlab {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json provenance(const ProvenanceInput& input) {
  const BuildInfo build = build_info();
  const BlasInfo blas = blas_info();
  const Machine& machine = input.machine;
  Json isas = Json::array();
  for (const Isa isa : simd_isas()) isas.push_back(isa_name(isa));
  Json seeds = Json::array();  // one an experiment, null where it draws nothing
  if (input.config.is_object()) {
    for (const Json& experiment : input.config["experiments"]) {
      seeds.push_back(experiment.value("seed", Json()));
    }
  }
  return {{"command_line", input.command_line},
          {"config", input.config},
          {"seed", seeds},
          {"version", build.version},
          {"commit", build.commit},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"flags", build.flags},
          {"blas",
           {{"name", blas.name},
            {"version", blas.version},
            {"core", blas.core},
            {"core_chosen_by", blas_core_chosen_by()}}},
          {"simd_target", isa_name(simd_isas().back())},
          {"simd_targets", isas},
          {"threads", input.threads},
          {"cpu", machine.cpu},
          {"logical_cpus", machine.logical_cpus},
          {"affinity", machine.affinity},
          {"quota", or_null(machine.quota)},
          {"governor", text_or_null(machine.governor)},
          {"memory_bytes", machine.memory_bytes},
          {"memory_limit_bytes", or_null(machine.memory_limit_bytes)},
          {"kernel", machine.kernel},
          {"load", machine.load},
          {"start", utc_time(input.start)},
          {"duration", nullptr}};
}

void set_duration(Json& provenance, double seconds) { provenance["duration"] = seconds; }

void set_inputs(Json& provenance, const Plan& plan) {
  namespace fs = std::filesystem;
  for (const PlannedExperiment& planned : plan.experiments) {
    for (const Parameter& parameter : planned.parameters->all()) {
      if (!parameter.is_file()) continue;
      const Json value = parameter.value();
      for (const Json& one : value.is_array() ? value : Json::array({value})) {
        if (!one.is_string()) continue;
        const std::string path = tensor_address(one.get<std::string>()).path;
        std::error_code error;
        if (!fs::is_regular_file(path, error)) continue;
        const auto changed = fs::last_write_time(path, error).time_since_epoch();
        provenance["inputs"].push_back(
            {{"path", path},
             {"bytes", fs::file_size(path, error)},
             {"changed_ns",
              std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()}});
      }
    }
  }
}

void set_peaks(Json& provenance, const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    if (table.base_name != "peaks") continue;
    for (const Row& row : table.rows) {
      Json peak = row_json(table, row);
      peak.erase("time_samples");  // they stand in the table
      provenance["peaks"].push_back(std::move(peak));
    }
  }
}

}  // namespace attnlab
