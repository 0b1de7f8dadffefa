// Rows times a weight matrix: the linear work of a layer, by BLAS on a team of threads.
#ifndef ATTNLAB_ATTENTION_PROJECT_H_
#define ATTNLAB_ATTENTION_PROJECT_H_

#include "machine/thread_team.h"
#include "tensor/blas.h"

namespace attnlab {

// c = a b + beta c; with beta = 0 c is not read. a [N, In], b [In, Out], c [N, Out], no overlap.
// Cut into parts that depend on the shape alone, so that the bits do not depend on the team.
// BLAS must run on one thread (use_one_blas_thread()).
void project(const Matrix<const float>& a, const Matrix<const float>& b, float beta,
             const Matrix<float>& c, ThreadTeam& team);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_PROJECT_H_
