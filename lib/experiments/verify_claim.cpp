#include "experiments/verify_claim.h"

#include <algorithm>

#include "base/text.h"
#include "experiments/verify_groups.h"

namespace attnlab {

std::string_view verdict_name(ClaimVerdict verdict) {
  constexpr std::string_view kNames[] = {"holds", "does not hold", "imprecise", "inconclusive"};
  return kNames[static_cast<int>(verdict)];
}

std::string_view claim_kind_name(ClaimKind kind) {
  constexpr std::string_view kNames[] = {"counted", "computed", "timed", "fact"};
  return kNames[static_cast<int>(kind)];
}

Truth above(const Interval& number, double limit) {
  return number.low > limit ? Truth::kYes : number.high < limit ? Truth::kNo : Truth::kUnknown;
}

Truth below(const Interval& number, double limit) {
  return number.high < limit ? Truth::kYes : number.low > limit ? Truth::kNo : Truth::kUnknown;
}

Truth within(const Interval& number, double low, double high) {
  return both(above(number, low), below(number, high));
}

Truth both(Truth a, Truth b) {
  if (a == Truth::kNo || b == Truth::kNo) return Truth::kNo;
  return a == Truth::kYes && b == Truth::kYes ? Truth::kYes : Truth::kUnknown;
}

void Findings::core(Truth truth, std::string what, std::string why_not) {
  findings_.push_back({true, truth, std::move(what), std::move(why_not)});
}

void Findings::wording(Truth truth, std::string what, std::string why_not) {
  findings_.push_back({false, truth, std::move(what), std::move(why_not)});
}

ClaimVerdict Findings::verdict() const {
  const auto any = [&](bool is_core, Truth truth) {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
      return finding.is_core == is_core && finding.truth == truth;
    });
  };
  if (any(true, Truth::kNo)) return ClaimVerdict::kDoesNotHold;
  if (findings_.empty() || any(true, Truth::kUnknown)) return ClaimVerdict::kInconclusive;
  if (any(false, Truth::kNo)) return ClaimVerdict::kImprecise;
  return any(false, Truth::kUnknown) ? ClaimVerdict::kInconclusive : ClaimVerdict::kHolds;
}

std::string Findings::reason() const {
  std::vector<std::string> out;
  for (const Finding& finding : findings_) {
    if (finding.truth == Truth::kNo) out.push_back(finding.why_not);
    if (finding.truth == Truth::kUnknown) out.push_back("undecided: " + finding.what);
  }
  if (findings_.empty()) out.emplace_back("nothing was measured");
  out.insert(out.end(), remarks_.begin(), remarks_.end());
  return join(out, "; ");
}

std::span<const Claim> claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> out;
    add_scale_claims(out);
    add_count_claims(out);
    add_softmax_claims(out);
    add_structure_claims(out);
    add_speed_claims(out);
    add_growth_claims(out);
    add_fact_claims(out);
    return out;
  }();
  return all;
}

const Claim* find_claim(std::string_view name) {
  const auto all = claims();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Claim& claim) { return claim.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace attnlab
