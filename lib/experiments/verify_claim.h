// A claim of the lesson or of the explainer, and how a verdict on it is reached.
//
// Whoever measures a claim reports findings, each with its truth as the measurement gives it:
//   core      what the claim says, under the conditions that it needs
//   wording   what it says besides, taken by its words: without a condition, for every case
// The verdict follows from them alone, here: a core that is false makes "does not hold", one that
// is undecided "inconclusive"; a wording that is false makes "imprecise", one that is undecided
// "inconclusive"; otherwise the claim "holds". What the ledger expects is not known here.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_CLAIM_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_CLAIM_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/kernel.h"
#include "base/watch.h"
#include "machine/thread_team.h"
#include "measure/robust.h"

namespace attnlab {

enum class ClaimVerdict { kHolds, kDoesNotHold, kImprecise, kInconclusive };
std::string_view verdict_name(ClaimVerdict verdict);  // holds, does not hold, ...

enum class Truth { kNo, kYes, kUnknown };
inline Truth truth_of(bool is_so) { return is_so ? Truth::kYes : Truth::kNo; }
// Of a number known by its interval only: whether it is above (below) a limit.
Truth above(const Interval& number, double limit);
Truth below(const Interval& number, double limit);
Truth within(const Interval& number, double low, double high);
Truth both(Truth a, Truth b);

// A number that was counted, computed or timed.
struct Evidence {
  std::string quantity;
  double value = 0;
  std::string unit{};
  std::optional<Interval> interval{};
  std::string how{};  // "extrapolated from the fit", or what else must be known of it
};

class Findings {
 public:
  // `what` is what is found out, `why_not` what was found where it is not so.
  void core(Truth truth, std::string what, std::string why_not);
  void wording(Truth truth, std::string what, std::string why_not);
  void remark(std::string text) { remarks_.push_back(std::move(text)); }
  void number(Evidence evidence) { evidence_.push_back(std::move(evidence)); }
  // The one line that tells what was measured.
  void measured(std::string text) { measured_ = std::move(text); }

  ClaimVerdict verdict() const;
  std::string reason() const;  // why not "holds", and the remarks
  const std::string& measured() const { return measured_; }
  const std::vector<Evidence>& evidence() const { return evidence_; }

 private:
  struct Finding {
    bool is_core;
    Truth truth;
    std::string what, why_not;
  };
  std::vector<Finding> findings_;
  std::vector<std::string> remarks_;
  std::vector<Evidence> evidence_;
  std::string measured_;
};

// The kernel that stands under a name: find_kernel(), or what a test puts in its place.
using KernelLookup = std::function<const Kernel*(std::string_view name)>;

struct ClaimContext {
  KernelLookup kernel;
  std::int64_t trials = 20000;  // random rows
  std::int64_t repeats = 15;    // samples of each time, fewer where they would take too long
  std::int64_t longest = 8192;  // tokens that are timed
  std::uint64_t seed = 1;
  ThreadTeam& team;
  Watch& watch;
};

// How a claim's numbers come about.
enum class ClaimKind { kCounted, kComputed, kTimed, kFact };
std::string_view claim_kind_name(ClaimKind kind);  // counted, computed, timed, fact

struct Claim {
  std::string_view name;
  std::string_view says;    // in a few words
  std::string_view source;  // lesson, explainer, or the section of the ledger
  ClaimKind kind;
  std::string_view how;  // it is measured
  ClaimVerdict expected;
  std::string_view ledger;  // what the ledger says of it
  double seconds;           // roughly
  void (*measure)(const ClaimContext& context, Findings& out);
};

// All of them, in the order of the ledger; names are unique.
std::span<const Claim> claims();
const Claim* find_claim(std::string_view name);  // nullptr when unknown

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_CLAIM_H_
