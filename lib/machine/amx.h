// The tile unit of processors with AMX: whether it may be used, and what it can do at most.
#ifndef ATTNLAB_MACHINE_AMX_H_
#define ATTNLAB_MACHINE_AMX_H_

#include <cstdint>
#include <string>

#include "machine/thread_team.h"

namespace attnlab {

// Why this process may not multiply tiles of bfloat16, as "the system refuses this process AMX
// (Operation not permitted)"; empty if it may. Asks the system for permission the first time
// (Linux, arch_prctl ARCH_REQ_XCOMP_PERM): to be called before the threads start that will use it.
std::string amx_refusal();
inline bool may_use_amx() { return amx_refusal().empty(); }

// For tests: while it lives, the system's answer is a refusal for that reason, on a processor with
// AMX or without.
class SimulatedAmxRefusal {
 public:
  explicit SimulatedAmxRefusal(std::string reason);
  ~SimulatedAmxRefusal();
  SimulatedAmxRefusal(const SimulatedAmxRefusal&) = delete;
  SimulatedAmxRefusal& operator=(const SimulatedAmxRefusal&) = delete;
};

// Shapes the calling thread's tiles: eight of 16 rows of 64 bytes; gives them back. Need
// may_use_amx().
void configure_tiles();
void release_tiles();

// Runs `rounds` rounds of tile multiply-adds (bfloat16, summed in float32) on every thread of the
// team, on registers alone, and returns how many FLOPs that were. Needs may_use_amx().
double run_amx_probe(std::int64_t rounds, ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_AMX_H_
