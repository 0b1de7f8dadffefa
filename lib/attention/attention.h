// The attention library in one include.
//
//   Problem        shape, mask, scale: what is computed, without data          problem.h
//   Operands       views of q, k, v, o and the mask                            operands.h
//   kernels()      every kernel of this build; find_kernel("flash")            registry.h
//   PreparedKernel a kernel with its workspace, run as often as wanted         kernel.h
//   reference_rows the truth in float64; max_difference, error_ratio           reference.h
//   Layer          multi-head attention and the Transformer block              layer.h
//   KvCache        keys and values so far; Generation, token by token          kv_cache.h
//
// examples/attend.cpp shows them at work; docs/attention.md tells what each kernel computes.
#ifndef ATTNLAB_ATTENTION_ATTENTION_H_
#define ATTNLAB_ATTENTION_ATTENTION_H_

#include "attention/kernel.h"     // IWYU pragma: export
#include "attention/kv_cache.h"   // IWYU pragma: export
#include "attention/layer.h"      // IWYU pragma: export
#include "attention/operands.h"   // IWYU pragma: export
#include "attention/problem.h"    // IWYU pragma: export
#include "attention/reference.h"  // IWYU pragma: export
#include "attention/registry.h"   // IWYU pragma: export

#endif  // ATTNLAB_ATTENTION_ATTENTION_H_
