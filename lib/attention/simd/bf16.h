// The engines of flash with products of bfloat16: q, k, v and weights are rounded to it where they
// are multiplied, scores and sums are float32. They read bf16 or f32, and take dense problems: all
// keys from the first on, as causality and mask allow, in one run.
#ifndef ATTNLAB_ATTENTION_SIMD_BF16_H_
#define ATTNLAB_ATTENTION_SIMD_BF16_H_

#include <span>

#include "attention/simd/attend.h"

namespace attnlab {

// Those that use a processor's own instructions, of this build, best last: isa_absence() of their
// instruction set must be empty where they run.
std::span<const AttendEngine> bf16_engines();

// The same code with plain arithmetic in the place of those instructions, by pairs and by tiles, on
// each SIMD target: for tests on processors that lack them. Slow.
std::span<const AttendEngine> plain_bf16_engines();

// The tile unit's own instructions between vectors of each SIMD target; none but on x86-64. For
// tests that emulate a tile unit.
std::span<const AttendEngine> tile_unit_engines();

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_BF16_H_
