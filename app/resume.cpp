#include "app/resume.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "report/differences.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

// What of the provenance must be the same for the rows of two runs to stand in one table.
constexpr const char* kSame[] = {
    "version", "commit", "compiler",     "build_type", "flags", "blas",  "simd_targets",
    "threads", "cpu",    "logical_cpus", "affinity",   "quota", "inputs"};
constexpr const char* kRemedy = "run without --resume to start afresh";

// Adds a mistake for every difference.
void add_differences(const Json& old, const Json& now, const std::string& place,
                     std::vector<Mistake>& mistakes) {
  for (const Difference& one : json_differences(old, now, place)) {
    mistakes.push_back({one.place, one.text(), kRemedy});
  }
}

void check_same(const std::string& path, const Json& old, const Json& now) {
  std::vector<Mistake> mistakes;
  add_differences(old.value("config", Json()), now.at("config"), path + ": config", mistakes);
  for (const char* key : kSame) {
    add_differences(old.value(key, Json()), now.value(key, Json()), path + ": " + key, mistakes);
  }
  constexpr std::size_t kMost = 10;
  if (mistakes.size() > kMost) mistakes.resize(kMost);
  if (!mistakes.empty()) throw UserError(std::move(mistakes));
}

}  // namespace

void take_over(const std::string& path, Result& result) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  Result old = read_result(path);
  check_same(path, old.provenance, result.provenance);
  bool fits = old.tables.size() == result.tables.size() && old.points.total == result.points.total;
  for (std::size_t i = 0; fits && i < old.tables.size(); ++i) {
    fits = old.tables[i].name == result.tables[i].name &&
           old.tables[i].columns.size() == result.tables[i].columns.size();
  }
  if (!fits) throw UserError(path, "has other tables than this config gives", kRemedy);
  for (std::size_t i = 0; i < old.tables.size(); ++i) {
    result.tables[i].rows = std::move(old.tables[i].rows);
    result.tables[i].notes = std::move(old.tables[i].notes);
  }
  result.points = old.points;
  result.status = old.status;
  result.expectations = std::move(old.expectations);
  if (result.status == Status::kComplete) {
    result.provenance = std::move(old.provenance);
    return;
  }
  // When the parts of the run began, and how far each came.
  Json parts = old.provenance.value("resumed", Json::array());
  parts.push_back({{"start", old.provenance.at("start")}, {"points", old.points.done}});
  result.provenance["resumed"] = std::move(parts);
}

}  // namespace attnlab
