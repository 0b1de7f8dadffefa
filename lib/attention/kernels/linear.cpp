// Linear attention with the feature map elu(x) + 1; time and memory grow with n.
// Katharopoulos et al., Transformers are RNNs, 2020, equations 5 to 7; causal: section 3.3.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// A factor on phi(q) . phi(k) cancels in the normalisation: scale and temperature change nothing.
#include "attention/feature_groups.h"
#include "attention/kernels/add_kernels.h"

namespace attnlab {

void add_linear_kernels(std::vector<Kernel>& out) {
  for (const FeatureEngine& engine : feature_engines()) {
    out.push_back(feature_groups_kernel(
        engine, {.name = "linear",
                 .isa = engine.isa,
                 .op = Operator::kLinear,
                 .summary = "feature map elu + 1 in place of the exponential, linear in n",
                 .source = "Katharopoulos et al. 2020, equations 5 to 7",
                 .memory = "the features of up to 64 chunks of keys, a head: constant in n"}));
  }
}

}  // namespace attnlab
