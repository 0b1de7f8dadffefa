// The tile unit of processors with AMX: whether it may be used, and what it can do at most.
#ifndef ATTNLAB_MACHINE_AMX_H_
#define ATTNLAB_MACHINE_AMX_H_

#include <cstdint>

#include "machine/thread_team.h"

namespace attnlab {

// Whether processor and operating system let this process multiply tiles of bfloat16. Asks the
// system for permission the first time (Linux, arch_prctl ARCH_REQ_XCOMP_PERM): to be called
// before the threads start that will use it.
bool may_use_amx();

// Runs `rounds` rounds of tile multiply-adds (bfloat16, summed in float32) on every thread of the
// team, on registers alone, and returns how many FLOPs that were. Needs may_use_amx().
double run_amx_probe(std::int64_t rounds, ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_AMX_H_
