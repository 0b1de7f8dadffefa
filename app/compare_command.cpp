// `attnlab compare BASE NEW`: whether NEW is worse than BASE, for continuous integration.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/command.h"
#include "app/deliver.h"
#include "app/options.h"
#include "app/output.h"
#include "app/pair_run.h"
#include "app/signals.h"
#include "base/choice.h"
#include "base/text.h"
#include "compare/changes.h"
#include "compare/comparable.h"
#include "compare/comparison.h"
#include "compare/thresholds.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

enum class FailOn { kRegressed, kInconclusive, kMissing };
std::span<const std::string_view> choice_names(FailOn) {
  static constexpr std::string_view kNames[] = {"regressed", "inconclusive", "missing"};
  return kNames;
}

std::string result_file(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? (fs::path(path) / "result.json").string() : path;
}

Result compared_result(const std::string& place) {
  Result out = read_result(result_file(place));
  for (const Table& table : out.tables) {
    if (table.experiment != "compare") continue;
    throw UserError(printable(place), "is what compare wrote, no result of an experiment",
                    "name the results that it was made of");
  }
  return out;
}

// Whether writing to `output` would overwrite what stands at `place`, a result or its folder.
bool overwrites(const std::string& output, const std::string& place) {
  std::error_code error;
  const fs::path to = fs::weakly_canonical(output, error);
  const fs::path file = fs::weakly_canonical(result_file(place), error);
  return to == file || to == file.parent_path();
}

void warn(const std::string& text) { fmt::print(stderr, "attnlab: warning: {}\n", text); }

// What was compared: one row a side.
Table sides_table(const std::vector<std::string>& places, const Result& base, const Result& now) {
  using K = ColumnKind;
  Table out("sides", "compare",
            {{"side", "base or new", K::kParameter},
             {"place", "file or program", K::kDerived},
             {"commit", "of the program that measured", K::kDerived},
             {"cpu", "processor", K::kDerived},
             {"threads", "that auto took", K::kDerived},
             {"start", "of the run, UTC", K::kDerived},
             {"result", "complete, interrupted or failed", K::kDerived}});
  out.is_detail = true;
  for (const Result* side : {&base, &now}) {
    const auto text = [&](const char* key) {
      const Json value = side->provenance.value(key, Json());
      return value.is_string() ? Cell(value.get<std::string>()) : Cell();
    };
    const Json threads = side->provenance.value("threads", Json());
    out.add_row()
        .set("side", side == &base ? "base" : "new")
        .set("place", places[side == &base ? 0 : 1])
        .set("commit", text("commit"))
        .set("cpu", text("cpu"))
        .set("threads", threads.is_number_integer() ? Cell(threads.get<std::int64_t>()) : Cell())
        .set("start", text("start"))
        .set("result", std::string(name_of(side->status)));
  }
  return out;
}

class CompareCommand : public Command {
 public:
  CompareCommand()
      : Command({.name = "compare",
                 .summary = "whether a new result is worse than an old one, for CI",
                 .source = "Kalibera & Jones, Rigorous Benchmarking in Reasonable Time, 2013",
                 .positionals = {{.name = "BASE", .file = true},
                                 {.name = "NEW", .file = true},
                                 {.name = "CONFIG", .required = false, .file = true}},
                 .examples = {"attnlab compare results/base results/new",
                              "attnlab compare base.json new.json --relative-to naive",
                              "attnlab compare --pair build-old/attnlab build/attnlab "
                              "configs/ci-times.json"}}) {
    flags_.add("pair", pair_, "BASE and NEW are two builds: run CONFIG with them in turns");
    flags_.add("runs", runs_, "processes of each build, with --pair")
        .range(1, 1000)
        .unset(std::to_string(kDefaultRuns));
    flags_.add(
        "threshold", thresholds_,
        "how much slower a time may become: 5%, or 3% for one kernel or column: 5%,flash=3%");
    flags_.add("relative_to", relative_to_,
               "compare times over those of this kernel, measured by the same processes; they "
               "travel between machines");
    flags_.add("fail_on", fail_on_,
               "what ends with an error: regressed always does (exit code 1), missing (1), "
               "inconclusive (5)");
    output_.declare(flags_,
                    "compare results of another machine, build or settings; overwrite "
                    "files that are not attnlab's own");
    flags_.add("no_progress", no_progress_, "no progress line").group("output");
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    const std::vector<std::string>& places = arguments.positionals;
    if (pair_ && places.size() == 2) {
      mistakes.push_back(
          {"attnlab compare --pair", "no config is named", "name OLD_BINARY NEW_BINARY CONFIG"});
    }
    if (!pair_ && places.size() == 3) {
      mistakes.push_back({printable(places[2]), "is a third argument",
                          "a config belongs to --pair, beside two builds"});
    }
    if (!pair_ && runs_) mistakes.push_back({"--runs", "belongs to --pair", "leave it out"});
    for (const std::string& place : places) {
      if (output_.output.empty() || !overwrites(output_.output, place)) continue;
      mistakes.push_back({"-o " + printable(output_.output), "would overwrite " + printable(place),
                          "name another file or folder"});
      break;
    }
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    check_output();
    Thresholds{thresholds_};  // what is wrong with them shows before a run of minutes, too
    Result base, now;
    if (pair_) {
      PairResults both =
          run_in_pairs({places[0], places[1], places[2], runs_.value_or(kDefaultRuns),
                        !no_progress_ && shows_progress()});
      base = std::move(both.base);
      now = std::move(both.now);
      for (const Difference& one : machine_differences(base, now)) {
        warn(fmt::format("the builds differ: {} {}", one.place, one.text()));
      }
    } else {
      base = compared_result(places[0]);
      now = compared_result(places[1]);
      if (!are_comparable(base, now)) return ExitCode::kNotComparable;
    }
    return compare(places, base, now, line);
  }

 private:
  static constexpr std::int64_t kDefaultRuns = 30;

  // Says on standard error what differs; --force lets all pass, --relative-to another machine.
  bool are_comparable(const Result& base, const Result& now) const {
    const std::vector<Difference> settings = setting_differences(base, now);
    const std::vector<Difference> machines = machine_differences(base, now);
    const bool machines_pass = force() || !relative_to_.empty() || machines.empty();
    for (const auto* some : {&settings, &machines}) {
      for (const Difference& one : *some) {
        const bool passes = some == &machines ? machines_pass : force();
        if (passes) {
          warn(one.place + " " + one.text());
        } else {
          fmt::print(stderr, "attnlab: error: not comparable: {} {}\n", one.place, one.text());
        }
      }
    }
    if ((settings.empty() || force()) && machines_pass) return true;
    fmt::print(stderr, "attnlab: --force compares all the same{}\n",
               machines_pass ? ""
                             : "; --relative-to naive compares times over those of a kernel "
                               "measured beside them, which travel between machines");
    return false;
  }

  // What is wrong with the flags of output shows before a run of minutes.
  void check_output() const {
    Result empty;
    empty.tables = tables_of(Comparison(), {"", ""}, empty, empty);
    check_table(output_, empty);
    check_times(output_, empty);
    Output(output_.output, output_.force, output_.format);
  }

  bool fails_on(FailOn what) const {
    return what == FailOn::kRegressed ||
           std::find(fail_on_.begin(), fail_on_.end(), what) != fail_on_.end();
  }

  std::vector<Table> tables_of(const Comparison& found, const std::vector<std::string>& places,
                               const Result& base, const Result& now) const {
    std::vector<Table> out{found.table(), changes_table(found.values, found.counts_text()),
                           found.means, sides_table(places, base, now)};
    if (!relative_to_.empty()) {
      out[1].add_note(fmt::format(
          "Ratios are those of times over the times of {}; base and new are the times themselves.",
          relative_to_));
    }
    if (pair_) {
      out[1].add_note(
          "A ratio is the middle of the pairs' ratios; base and new are medians of all calls, "
          "whose "
          "quotient may differ from it where the machine's speed changed on the way.");
    }
    TableVerdict& verdict = out.front().verdict.emplace();
    verdict = {.column = "verdict", .told = {"base", "new", "ratio"}, .severity = "ratio"};
    const std::pair<FailOn, ChangeVerdict> kBad[] = {
        {FailOn::kRegressed, ChangeVerdict::kRegressed},
        {FailOn::kMissing, ChangeVerdict::kMissing},
        {FailOn::kInconclusive, ChangeVerdict::kInconclusive}};
    for (const auto& [what, word] : kBad) {
      (fails_on(what) ? verdict.failures : verdict.undecided).push_back(choice_name(word));
    }
    return out;
  }

  bool force() const { return output_.force; }

  ExitCode compare(const std::vector<std::string>& places, const Result& base, const Result& now,
                   const std::vector<std::string>& line) {
    for (const Result* side : {&base, &now}) {
      if (side->status == Status::kComplete || stop_signal() != 0) continue;
      warn(fmt::format("{} is {}: {} of {} points are done", places[side == &base ? 0 : 1],
                       name_of(side->status), side->points.done, side->points.total));
    }
    const Comparison found =
        compare_results(base, places[0], now, places[1], {thresholds_, relative_to_, pair_});
    const int signal = stop_signal();
    if (found.values.empty() && signal == 0) {
      throw UserError(places[0] + ", " + places[1], "have nothing in common that is compared",
                      "name two results of the same experiments");
    }
    deliver_tables("compare", tables_of(found, places, base, now), output_, line,
                   signal == 0 ? Status::kComplete : Status::kInterrupted);
    if (signal != 0) return code_of_signal(signal);
    const bool is_worse = found.count(ChangeVerdict::kRegressed) > 0 ||
                          (fails_on(FailOn::kMissing) && found.count(ChangeVerdict::kMissing) > 0);
    if (is_worse) return ExitCode::kFailed;
    const bool is_open =
        fails_on(FailOn::kInconclusive) && found.count(ChangeVerdict::kInconclusive) > 0;
    return is_open ? ExitCode::kInconclusive : ExitCode::kDone;
  }

  bool pair_ = false, no_progress_ = false;
  std::optional<std::int64_t> runs_;
  std::vector<std::string> thresholds_{"5%"};
  std::string relative_to_;
  std::vector<FailOn> fail_on_{FailOn::kRegressed};
  OutputFlags output_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace attnlab
