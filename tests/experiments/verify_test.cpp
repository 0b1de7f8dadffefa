// Verdicts on claims: how they follow from findings, that the claims come out as the ledger says,
// and that a kernel that is broken flips the claims that rest on what it breaks, and no others.
#include <set>

#include "attention/registry.h"
#include "experiments/verify_claim.h"
#include "experiments/verify_run.h"
#include "support/catch.h"

namespace attnlab {
namespace {

TEST_CASE("a verdict follows from the findings alone", "[verify]") {
  const auto verdict = [](std::vector<std::pair<bool, Truth>> findings) {
    Findings out;
    for (const auto& [is_core, truth] : findings) {
      is_core ? out.core(truth, "what", "why not") : out.wording(truth, "what", "why not");
    }
    return out.verdict();
  };
  using V = ClaimVerdict;
  using T = Truth;
  CHECK(verdict({}) == V::kInconclusive);
  CHECK(verdict({{true, T::kYes}}) == V::kHolds);
  CHECK(verdict({{true, T::kYes}, {false, T::kYes}}) == V::kHolds);
  CHECK(verdict({{true, T::kYes}, {false, T::kNo}}) == V::kImprecise);
  CHECK(verdict({{true, T::kYes}, {false, T::kUnknown}}) == V::kInconclusive);
  CHECK(verdict({{true, T::kUnknown}, {false, T::kNo}}) == V::kInconclusive);
  CHECK(verdict({{true, T::kUnknown}, {true, T::kNo}}) == V::kDoesNotHold);
  CHECK(verdict({{true, T::kNo}, {false, T::kYes}}) == V::kDoesNotHold);
}

TEST_CASE("a number is on one side of a limit when its whole interval is", "[verify]") {
  CHECK(above({1.6, 2.1}, 1.5) == Truth::kYes);
  CHECK(above({1.4, 2.1}, 1.5) == Truth::kUnknown);
  CHECK(above({0.9, 1.1}, 1.5) == Truth::kNo);
  CHECK(below({0.9, 1.1}, 1.5) == Truth::kYes);
  CHECK(within({1.6, 2.1}, 1.5, 2.5) == Truth::kYes);
  CHECK(within({1.6, 2.6}, 1.5, 2.5) == Truth::kUnknown);
  CHECK(within({2.6, 2.7}, 1.5, 2.5) == Truth::kNo);
  CHECK(both(Truth::kNo, Truth::kUnknown) == Truth::kNo);
  CHECK(both(Truth::kYes, Truth::kUnknown) == Truth::kUnknown);
}

TEST_CASE("reasons name what is not so and what is undecided", "[verify]") {
  Findings out;
  out.core(Truth::kYes, "it is cold", "it is warm");
  out.wording(Truth::kNo, "it is always cold", "it is warm in summer");
  out.wording(Truth::kUnknown, "it snows", "it does not snow");
  out.remark("in the north");
  CHECK(out.reason() == "it is warm in summer; undecided: it snows; in the north");
}

TEST_CASE("a row fails when its verdict differs, not when it is inconclusive", "[verify]") {
  Claim claim = claims()[0];
  const auto status = [&](ClaimVerdict expected, Truth truth) {
    claim.expected = expected;
    Findings findings;
    findings.core(truth, "what", "why not");
    std::vector<Table> tables = verify_tables();
    write_findings(claim, findings, tables);
    return std::get<std::string>(tables[0].at(tables[0].rows[0], "status"));
  };
  CHECK(status(ClaimVerdict::kHolds, Truth::kYes) == "ok");
  CHECK(status(ClaimVerdict::kHolds, Truth::kNo) == "failed");
  CHECK(status(ClaimVerdict::kImprecise, Truth::kYes) == "failed");
  CHECK(status(ClaimVerdict::kDoesNotHold, Truth::kNo) == "ok");
  CHECK(status(ClaimVerdict::kHolds, Truth::kUnknown) == "ok");
}

TEST_CASE("claims have names of their own and say what they are", "[verify]") {
  std::set<std::string_view> names;
  for (const Claim& claim : claims()) {
    INFO(claim.name);
    CHECK(names.insert(claim.name).second);
    CHECK(find_claim(claim.name) == &claim);
    for (const std::string_view text : {claim.says, claim.source, claim.how, claim.ledger}) {
      CHECK_FALSE(text.empty());
    }
    CHECK(claim.expected != ClaimVerdict::kInconclusive);
    CHECK(claim.measure != nullptr);
  }
  CHECK(names.size() >= 29);
  CHECK(find_claim("none") == nullptr);
}

// The claims whose verdict is not that of the ledger, inconclusive ones left out.
std::set<std::string> flipped_by(const KernelLookup& lookup) {
  ThreadTeam team(1);
  Watch watch;
  std::set<std::string> out;
  for (const Claim& claim : claims()) {
    Findings findings;
    claim.measure({.kernel = lookup,
                   .trials = 2000,
                   .repeats = kFewestClaimSamples,
                   .longest = 2048,
                   .seed = 1,
                   .team = team,
                   .watch = watch},
                  findings);
    const ClaimVerdict verdict = findings.verdict();
    if (claim.kind != ClaimKind::kTimed) CHECK(verdict != ClaimVerdict::kInconclusive);
    if (verdict != claim.expected && verdict != ClaimVerdict::kInconclusive) {
      UNSCOPED_INFO(claim.name << ": " << verdict_name(verdict) << ", " << findings.reason());
      out.emplace(claim.name);
    }
  }
  return out;
}

// The kernels with one of them replaced.
KernelLookup with(const Kernel& broken) {
  return [&broken](std::string_view name) {
    return name == broken.name ? &broken : find_kernel(name);
  };
}

// A kernel that is given another problem than it should solve.
Kernel changed(std::string_view name, const std::function<void(Problem&)>& change) {
  Kernel out = *find_kernel(name);
  out.run = [run = out.run, change](const Problem& problem, const Operands& operands,
                                    std::span<std::byte> workspace, ThreadTeam& team) {
    Problem other = problem;
    change(other);
    run(other, operands, workspace, team);
  };
  return out;
}

using Names = std::set<std::string>;

TEST_CASE("with the true kernels every claim comes out as the ledger says", "[verify]") {
  CHECK(flipped_by([](std::string_view name) { return find_kernel(name); }) == Names{});
}

TEST_CASE("a kernel that forgets the scale flips what rests on it", "[verify]") {
  const Kernel broken = changed("flash", [](Problem& problem) { problem.scale = 1; });
  // Scores of variance d; nothing changes without the scale; rows unlike those of the KV-cache, and
  // no closer to softmax attention than the linear kernel.
  CHECK(flipped_by(with(broken)) ==
        Names{"variance-is-d", "scale-off", "gradients-vanish", "kv-cache", "linear-attention"});
}

TEST_CASE("a kernel that forgets the causal mask flips the claim on the KV-cache", "[verify]") {
  const Kernel broken = changed("flash", [](Problem& problem) { problem.causal = Causal::kNone; });
  CHECK(flipped_by(with(broken)) == Names{"kv-cache"});
}

TEST_CASE("a window that looks at every key flips the claims on its cost", "[verify]") {
  const Kernel dense = *find_kernel("flash");
  Kernel broken = *find_kernel("window");
  broken.workspace = [window = broken.workspace, dense](const Problem& problem, int threads) {
    return std::max(window(problem, threads), dense.workspace(problem, threads));
  };
  broken.run = [window = broken.run, dense](const Problem& problem, const Operands& operands,
                                            std::span<std::byte> workspace, ThreadTeam& team) {
    dense.run(problem, operands, workspace, team);  // and throws the result away
    window(problem, operands, workspace, team);
  };
  CHECK(flipped_by(with(broken)) == Names{"sparse-is-nk", "window-and-linear-are-linear"});
}

}  // namespace
}  // namespace attnlab
