// The tables of verify: a row a claim, and the numbers behind it.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_RUN_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_RUN_H_

#include <vector>

#include "experiments/verify_claim.h"
#include "experiments/verify_timing.h"
#include "report/table.h"

namespace attnlab {

inline constexpr std::int64_t kFewestClaimSamples = kFewestSamples;

// verify (claim, measured, expected, verdict, reason) and evidence (claim, quantity, value ...).
std::vector<Table> verify_tables();

// Adds the claim's row, failed where its verdict differs from the expected one and is not
// inconclusive, and its evidence.
void write_findings(const Claim& claim, const Findings& findings, std::vector<Table>& tables);

// Adds a note that counts the verdicts.
void summarise(std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_RUN_H_
