// FAVOR+: softmax attention estimated through positive orthogonal random features; linear in n.
// Choromanski et al., Rethinking Attention with Performers, 2021, sections 2.3 and 2.4.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// Directions are drawn from the problem's seed and shared by all heads. The estimate is unbiased
// before normalisation and its variance grows like exp(|q + k|^2): see docs/attention.md.
#include "attention/feature_groups.h"
#include "attention/kernels/add_kernels.h"

namespace attnlab {

void add_performer_kernels(std::vector<Kernel>& out) {
  for (const FeatureEngine& engine : feature_engines()) {
    out.push_back(feature_groups_kernel(
        engine, {.name = "performer",
                 .isa = engine.isa,
                 .op = Operator::kPerformer,
                 .summary = "positive orthogonal random features (FAVOR+), linear in n",
                 .source = "Choromanski et al. 2021, sections 2.3 and 2.4",
                 .memory = "random directions and the features of up to 64 chunks of keys, a head: "
                           "constant in n"}));
  }
}

}  // namespace attnlab
