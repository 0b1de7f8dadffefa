// Random choices that belong to a problem: functions of the seed and of what is chosen, so that
// every kernel, thread and repetition draws the same.
#ifndef ATTNLAB_ATTENTION_DRAWS_H_
#define ATTNLAB_ATTENTION_DRAWS_H_

#include <cstdint>
#include <span>

#include "attention/problem.h"

namespace attnlab {

// Uniform over [0, bound), bound >= 1; the draw belongs to (head, block, index).
std::int64_t draw_below(std::int64_t bound, std::uint64_t seed, std::int64_t head,
                        std::int64_t block, std::int64_t index);

// Performer's random directions [features, head_dim], row-major: in groups of head_dim, orthogonal
// to each other within a group, each of the length of a normal vector of its own (Choromanski et
// al., Rethinking Attention with Performers, 2021, section 2.4). One set serves all heads.
// directions has features x head_dim elements; scratch head_dim x (head_dim + 1).
void draw_directions(const Problem& problem, std::span<float> directions,
                     std::span<double> scratch);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_DRAWS_H_
