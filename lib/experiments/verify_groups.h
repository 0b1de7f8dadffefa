// The groups of claims: each is a file that ends with its list, a line or two a claim.
#ifndef ATTNLAB_EXPERIMENTS_VERIFY_GROUPS_H_
#define ATTNLAB_EXPERIMENTS_VERIFY_GROUPS_H_

#include <vector>

#include "experiments/verify_claim.h"

namespace attnlab {

void add_scale_claims(std::vector<Claim>& out);      // variance, spread, entropy, gradients
void add_count_claims(std::vector<Claim>& out);      // multiply-adds and crossovers
void add_softmax_claims(std::vector<Claim>& out);    // weights, overflow, temperature
void add_structure_claims(std::vector<Claim>& out);  // permutations, parameters
void add_speed_claims(std::vector<Claim>& out);      // how fast, how long, which fit
void add_growth_claims(std::vector<Claim>& out);     // time and memory against n
void add_fact_claims(std::vector<Claim>& out);       // published models, memory of training

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_VERIFY_GROUPS_H_
