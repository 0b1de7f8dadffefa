// Attention to a sliding window of keys and to global tokens; work grows with n * window.
// Beltagy, Peters, Cohan, Longformer, 2020, section 3.1 (one set of projections for both).
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]   v [B, Hkv, Nk, Dv]   o [B, Hq, Nq, Dv]
// Ordinary queries see the global keys as a first run and the rest of their window as a second;
// global queries see all keys, as in flash.
#include "attention/kernels/add_kernels.h"
#include "attention/window_groups.h"

namespace attnlab {

void add_window_kernels(std::vector<Kernel>& out) {
  for (const AttendEngine& engine : attend_engines()) {
    out.push_back(window_groups_kernel(
        engine, {.name = "window",
                 .isa = engine.isa,
                 .op = Operator::kWindow,
                 .summary = "sliding window and global tokens, linear in n",
                 .source = "Beltagy et al. 2020 (Longformer), section 3.1",
                 .memory = "constant: a tile of scores and sums for each thread"}));
  }
}

}  // namespace attnlab
