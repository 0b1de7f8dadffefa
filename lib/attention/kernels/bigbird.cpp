// Attention to a sliding window, to global tokens and to random blocks of keys; linear in n.
// Zaheer et al., Big Bird: Transformers for Longer Sequences, 2020, section 2 and appendix D.
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// Random blocks (pattern.h) belong to blocks of 64 queries, which are the groups here. Unlike the
// paper, the window counts keys, not blocks, so that it means the same as in `window`.
#include "attention/kernels/add_kernels.h"
#include "attention/window_groups.h"

namespace attnlab {

void add_bigbird_kernels(std::vector<Kernel>& out) {
  for (const AttendEngine& engine : attend_engines()) {
    out.push_back(window_groups_kernel(
        engine, {.name = "bigbird",
                 .isa = engine.isa,
                 .op = Operator::kBigBird,
                 .summary = "sliding window, global tokens and random blocks, linear in n",
                 .source = "Zaheer et al. 2020 (Big Bird), section 2",
                 .memory = "constant: a tile of scores and sums for each thread"}));
  }
}

}  // namespace attnlab
