// The kernels whose queries see a window, global keys and perhaps random blocks: their groups of
// queries and runs of keys.
#ifndef ATTNLAB_ATTENTION_WINDOW_GROUPS_H_
#define ATTNLAB_ATTENTION_WINDOW_GROUPS_H_

#include "attention/kernel.h"
#include "attention/simd/attend.h"

namespace attnlab {

// Completes an entry that has name, isa, op (window or bigbird), summary and source.
Kernel window_groups_kernel(const AttendEngine& engine, Kernel entry);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_WINDOW_GROUPS_H_
