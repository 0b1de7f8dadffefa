// What the arithmetic units can do at most: chains of fused multiply-adds on registers alone, no
// memory. The denominator of every share of peak.
#ifndef ATTNLAB_MACHINE_PEAK_H_
#define ATTNLAB_MACHINE_PEAK_H_

#include <cstdint>

#include "machine/isa.h"
#include "machine/thread_team.h"

namespace attnlab {

// The instruction set against which code of `isa` is held: itself, and the best one of simd_isas()
// for BLAS, which chooses for itself.
Isa peak_isa(Isa isa);

// One a SIMD target of the build, and one for pairs of bfloat16: how many multiply-adds one
// instruction does, and the chains on one thread.
struct PeakProbe {
  Isa isa;
  std::int64_t multiply_adds;
  float (*chains)(std::int64_t rounds, float factor, float term);
};

// Runs `rounds` rounds of multiply-adds of float32 vectors on every thread of the team and returns
// how many FLOPs that were (a multiply-add is two, also on an instruction set that has no fused
// one and takes two instructions); on avx512bf16 and amx of bfloat16, with sums of float32, in
// about the same time. isa_absence() of the ISA must be empty. Allocates nothing.
double run_peak_probe(Isa isa, std::int64_t rounds, ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_PEAK_H_
