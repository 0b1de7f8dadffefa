#include "app/pair_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "app/progress.h"
#include "app/temporary_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "experiments/registry.h"
#include "machine/process.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

// Many short processes tell more than few long ones: what disturbs a shared machine lasts longer
// than a process, and drifts less between the two of a pair that follow at once.
constexpr const char* kMinTime = "min_time";
constexpr double kShortTime = 0.001;  // seconds

bool takes(const std::string& experiment, const char* parameter) {
  const ExperimentInfo* info = find_experiment(experiment);
  if (info == nullptr) return false;
  ParameterList parameters;
  const std::unique_ptr<Experiment> made = info->make();
  made->declare(parameters);
  return parameters.find(parameter) != nullptr;
}

// The experiments of a config, each as a config of its own.
std::vector<std::pair<std::string, Json>> single_experiments(const std::string& path) {
  const Json config = read_json_file(path);
  const bool is_config = config.is_object() && config.contains("experiments") &&
                         config.at("experiments").is_array() && !config.at("experiments").empty();
  if (!is_config) {
    throw UserError(path, "has no experiments", "give a config as `attnlab run` takes it");
  }
  std::vector<std::pair<std::string, Json>> out;
  for (const Json& experiment : config.at("experiments")) {
    Json one = config;
    one["experiments"] = Json::array({experiment});
    const Json which = experiment.is_object() ? experiment.value("experiment", Json()) : Json();
    const std::string name = which.is_string() ? which.get<std::string>() : "";
    if (takes(name, kMinTime) && !experiment.contains(kMinTime)) {
      one["experiments"][0][kMinTime] = kShortTime;
    }
    if (takes(name, "runs")) one["experiments"][0]["runs"] = 1;
    out.emplace_back(name.empty() ? "experiment" : printable(name), std::move(one));
  }
  return out;
}

bool is_timed(const Result& result) {
  return std::any_of(result.tables.begin(), result.tables.end(), [](const Table& table) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [](const Row& row) { return !row.time_samples.empty(); });
  });
}

// Adds the times of one more process to those of the processes before it. A row that is no longer
// right takes over what it says, without times.
void add_process(Result& more, const std::string& program, Result& result) {
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    Table& table = result.tables[t];
    const bool has_times = std::any_of(table.rows.begin(), table.rows.end(),
                                       [](const Row& row) { return !row.time_samples.empty(); });
    if (!has_times) continue;
    if (t >= more.tables.size() || more.tables[t].rows.size() != table.rows.size()) {
      throw RunError(program, fmt::format("gave other rows of {} than before", table.name));
    }
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      Row& row = table.rows[i];
      Row& other = more.tables[t].rows[i];
      if (!row.time_samples.empty() && other.time_samples.empty()) {
        row = std::move(other);
      } else if (!row.time_samples.empty()) {
        std::move(other.time_samples.begin(), other.time_samples.end(),
                  std::back_inserter(row.time_samples));
      }
    }
  }
}

void check_program(const std::string& path) {
  std::error_code error;
  if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error)) return;
  throw UserError(path, fs::exists(path, error) ? "is no program" : "is not there",
                  "name a build of attnlab, as ./attnlab or by its path");
}

class PairRunner {
 public:
  explicit PairRunner(const PairRun& pair)
      : pair_(pair),
        experiments_(single_experiments(pair.config)),
        points_(points()),
        progress_(pair.shows_progress, {points_}) {}

  PairResults run() {
    check_program(pair_.base_program);
    check_program(pair_.now_program);
    PairResults out;
    for (std::size_t i = 0; i < experiments_.size() && !progress_.stopped(); ++i) {
      if (auto both = run_experiment(i)) {
        append(std::move(both->base), base_uses_, out.base);
        append(std::move(both->now), now_uses_, out.now);
      }
    }
    const Status status = progress_.stopped() ? Status::kInterrupted : Status::kComplete;
    out.base.status = out.now.status = status;
    return out;
  }

 private:
  std::vector<Point> points() const {
    std::vector<Point> out;
    for (const auto& [name, config] : experiments_) {
      for (std::int64_t i = 0; i < pair_.runs; ++i) {
        out.push_back({fmt::format("{} pair {} of {}", name, i + 1, pair_.runs)});
      }
    }
    return out;
  }

  std::optional<PairResults> run_experiment(std::size_t index) {
    write_file(folder_.file("config.json"), {experiments_[index].second.dump()});
    const std::size_t first_point = index * static_cast<std::size_t>(pair_.runs);
    std::optional<PairResults> out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair_.runs); ++i) {
      const Point& point = points_[first_point + i];
      if (out && !is_timed(out->base) && !is_timed(out->now)) {
        progress_.skip(0, point);
        continue;
      }
      progress_.begin(0, "", point);
      std::optional<PairResults> both = run_pair();
      progress_.end();
      if (!both) break;
      if (!out) {
        out = std::move(both);
      } else {
        add_process(both->base, pair_.base_program, out->base);
        add_process(both->now, pair_.now_program, out->now);
      }
    }
    return out;
  }

  // No value when the run is to stop.
  std::optional<PairResults> run_pair() {
    PairResults out;
    std::array<std::pair<const std::string*, Result*>, 2> turns{
        {{&pair_.base_program, &out.base}, {&pair_.now_program, &out.now}}};
    if ((lot_() & 1) != 0) std::swap(turns[0], turns[1]);
    for (const auto& [program, result] : turns) {
      const std::string config = folder_.file("config.json"), file = folder_.file("result.json");
      std::error_code error;
      fs::remove(file, error);
      const ProcessResult done = run_process(
          *program, {"run", config, "--quiet", "--no-progress", "-o", file}, {}, progress_);
      if (progress_.stopped()) return std::nullopt;
      if (!fs::exists(file, error)) refuse(*program, done);
      *result = read_result(file);
      check_end(*program, done, *result);
    }
    return out;
  }

  // Failed rows and expectations are part of a result; any other end makes it one not to be
  // trusted.
  static void check_end(const std::string& program, const ProcessResult& done,
                        const Result& result) {
    constexpr int kDone = 0, kFailed = 1, kInconclusive = 5;
    const bool has_ended =
        done.exit_code == kDone || done.exit_code == kFailed || done.exit_code == kInconclusive;
    if (has_ended && result.status == Status::kComplete) return;
    throw RunError(program,
                   fmt::format("wrote a result that is {}, and ended with exit code {}: {}",
                               name_of(result.status), done.exit_code, printable(done.errors, 500)),
                   "see what `run` says of the config");
  }

  [[noreturn]] void refuse(const std::string& program, const ProcessResult& done) const {
    constexpr int kBadInput = 2;
    const std::string said = printable(done.errors, 500);
    if (done.exit_code == kBadInput)
      throw UserError(pair_.config, program + " refuses it: " + said);
    throw RunError(program, fmt::format("gave no result, exit code {}: {}", done.exit_code, said),
                   "name a build of attnlab");
  }

  // Adds the tables of one experiment under names that are unique.
  static void append(Result&& one, std::map<std::string, int>& uses, Result& result) {
    if (result.tables.empty()) {
      result.name = one.name;
      result.provenance = std::move(one.provenance);
    }
    for (Table& table : one.tables) {
      const int use = ++uses[table.base_name];
      if (use > 1) table.name = fmt::format("{}-{}", table.base_name, use);
      result.tables.push_back(std::move(table));
    }
  }

  const PairRun& pair_;
  std::vector<std::pair<std::string, Json>> experiments_;
  std::vector<Point> points_;
  TemporaryFolder folder_{"pair"};
  Progress progress_;
  std::mt19937_64 lot_{1};
  std::map<std::string, int> base_uses_, now_uses_;
};

}  // namespace

PairResults run_in_pairs(const PairRun& pair) { return PairRunner(pair).run(); }

}  // namespace attnlab
