// A verdict on every claim of the lesson and of the explainer, measured on this machine now. One
// point a claim; a verdict that differs from the ledger's makes the row fail, and so the run;
// "inconclusive" does not. verify_claim.h tells how verdicts come about.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "attention/registry.h"
#include "base/parameter.h"
#include "experiments/choices.h"
#include "experiments/experiment.h"
#include "experiments/verify_claim.h"
#include "experiments/verify_run.h"
#include "experiments/verify_timing.h"

namespace attnlab {
namespace {

constexpr const char* kAll = "all";

class Verify : public Experiment {
 public:
  void declare(ParameterList& list) override {
    std::vector<std::string> names{kAll};
    for (const Claim& claim : claims()) names.emplace_back(claim.name);
    list.add("claim", names_, "claims to be measured").one_of(std::move(names));
    list.add("trials", trials_, "random rows of the computed claims")
        .range(1000, 1e7)
        .quick(10, 2000);
    list.add("repeats", repeats_, "samples of each time, fewer where they would take too long")
        .range(static_cast<double>(kFewestClaimSamples), 1000)
        .quick(10, kFewestClaimSamples);
    list.add("longest", longest_, "tokens that are timed; longer is extrapolated from the fit")
        .range(1024, 1 << 20)
        .quick(4, 1024);
    list.add("seed", seed_, "seed of the generator").range(0, kLargestSeed);
    parameters_ = &list;
  }

  void prepare(const std::string& place, std::vector<Mistake>& mistakes) override {
    chosen_.clear();
    const bool all = std::find(names_.begin(), names_.end(), kAll) != names_.end();
    if (all && names_.size() > 1) {
      mistakes.push_back(
          {child_place(place, "claim"), "all stands beside others", "leave one of the two out"});
    }
    for (const Claim& claim : claims()) {
      const bool is_named = std::find(names_.begin(), names_.end(), claim.name) != names_.end();
      if (all || is_named) chosen_.push_back(&claim);
    }
    if ((longest_ & (longest_ - 1)) != 0) {
      mistakes.push_back({child_place(place, "longest"),
                          fmt::format("{} is no power of two", longest_),
                          "lengths are doubled: give 2048, 4096, 8192 ..."});
    }
  }

  std::vector<Table> tables() const override { return verify_tables(); }

  std::vector<Point> points() const override {
    std::vector<Point> out;
    for (const Claim* claim : chosen_) {
      // Times are taken on one thread, whatever the team.
      Point& point = out.emplace_back();
      point.label = claim->name;
      point.bytes = 256e6 + 4.0 * static_cast<double>(longest_) * static_cast<double>(longest_);
      point.seconds = claim->seconds;
    }
    return out;
  }

  Table::RowWriter add_row(std::size_t point, Table& table) const override {
    Table::RowWriter row = table.add_row();
    row.set("claim", chosen_[point]->name).set("expected", verdict_name(chosen_[point]->expected));
    return row;
  }

  void run(std::size_t point, RunContext& context, std::vector<Table>& tables) override {
    const auto lookup = [](std::string_view name) { return find_kernel(name); };
    const ClaimContext claim_context{.kernel = lookup,
                                     .trials = trials_,
                                     .repeats = repeats_,
                                     .longest = longest_,
                                     .seed = static_cast<std::uint64_t>(seed_),
                                     .team = context.team,
                                     .watch = context.watch};
    Findings findings;
    try {
      chosen_[point]->measure(claim_context, findings);
    } catch (const GaveUp&) {
      return;
    }
    if (context.watch.stopped()) return;
    write_findings(*chosen_[point], findings, tables);
  }

  void finish(std::vector<Table>& tables) override { summarise(tables); }

 private:
  std::vector<std::string> names_{kAll};
  std::int64_t trials_ = 20000, repeats_ = 15, longest_ = 8192, seed_ = 1;
  std::vector<const Claim*> chosen_;
  const ParameterList* parameters_ = nullptr;
};

}  // namespace

ExperimentInfo verify_experiment() {
  return {"verify",
          "a verdict on every claim of the lesson and of the explainer, measured here",
          "the claims of both texts; docs/claims.md",
          {"attnlab verify --quick", "attnlab verify --claim scale-off,outweighs-at-2D",
           "attnlab verify --claim kv-cache --quick --table evidence"},
          [] { return std::unique_ptr<Experiment>(new Verify); },
          {},
          true};
}

}  // namespace attnlab
