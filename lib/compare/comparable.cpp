#include "compare/comparable.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace attnlab {
namespace {

constexpr const char* kMachine[] = {"cpu",        "simd_targets", "threads", "compiler",
                                    "build_type", "flags",        "blas"};
// How much is measured and what is said of it, not what.
const std::set<std::string> kEffort{"experiment", "title", "expect",     "repeats",  "warmup",
                                    "min_time",   "runs",  "max_memory", "max_time", "baseline"};

// The experiments of the config that made a result, under the names of their first tables.
std::map<std::string, Json> experiments_of(const Result& result) {
  std::map<std::string, Json> out;
  std::map<std::string, int> count;
  const Json config = result.provenance.value("config", Json());
  if (!config.is_object() || !config.contains("experiments")) return out;
  for (const Json& one : config.at("experiments")) {
    if (!one.is_object() || !one.contains("experiment") || !one.at("experiment").is_string())
      continue;
    const auto name = one.at("experiment").get<std::string>();
    const int which = ++count[name];
    out[which == 1 ? name : name + "-" + std::to_string(which)] = one;
  }
  return out;
}

bool is_column(const Table* table, const std::string& name) {
  return table == nullptr || table->index_of(name) >= 0;
}

}  // namespace

std::vector<Difference> machine_differences(const Result& base, const Result& now) {
  std::vector<Difference> out;
  for (const char* key : kMachine) {
    Json old_value = base.provenance.value(key, Json());
    Json new_value = now.provenance.value(key, Json());
    for (Json* blas : {&old_value, &new_value}) {
      if (blas->is_object()) blas->erase("core_chosen_by");
    }
    for (Difference& one : json_differences(old_value, new_value, key))
      out.push_back(std::move(one));
  }
  return out;
}

std::vector<Difference> setting_differences(const Result& base, const Result& now) {
  std::vector<Difference> out;
  const std::map<std::string, Json> now_experiments = experiments_of(now);
  for (const auto& [name, old_one] : experiments_of(base)) {
    const auto found = now_experiments.find(name);
    if (found == now_experiments.end()) continue;  // its rows are missing, and said to be
    for (Difference& one : json_differences(old_one, found->second, "")) {
      const std::string key = one.place.substr(one.place.starts_with('.') ? 1 : 0);
      const std::string top = key.substr(0, key.find_first_of(".["));
      // An axis that only one of the results varies is a column of that one alone.
      const bool finds_rows = is_column(base.find(name), top) && is_column(now.find(name), top);
      if (kEffort.contains(top) || finds_rows) continue;
      one.place = name + "." + key;
      out.push_back(std::move(one));
    }
  }
  const Json old_inputs = base.provenance.value("inputs", Json::array());
  const Json new_inputs = now.provenance.value("inputs", Json::array());
  for (std::size_t i = 0; i < std::min(old_inputs.size(), new_inputs.size()); ++i) {
    const Json old_bytes = old_inputs[i].value("bytes", Json());
    const Json new_bytes = new_inputs[i].value("bytes", Json());
    if (old_bytes != new_bytes) {
      out.push_back(
          {"bytes of " + old_inputs[i].value("path", std::string("a file")), old_bytes, new_bytes});
    }
  }
  return out;
}

}  // namespace attnlab
