// Attention of a group of queries over runs of keys with online softmax; scores are never stored
// beyond one block of keys.
// Dao, FlashAttention-2, 2023, Algorithm 1 (the loop over blocks, one rescaling a block); running
// maximum from Milakov & Gimelshein, Online normalizer calculation for softmax, 2018.
// q [rows, D]   k [keys, D]   v [keys, Dv]   o [rows, Dv]; attend_tiles-inl.h has the layout.
#include "attention/simd/attend.h"

#include "attention/simd/attend_memory.h"
#include "tensor/buffer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/attend.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/attend_block-inl.h"
#include "attention/simd/attend_loop-inl.h"
#include "attention/simd/widen-inl.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

struct FloatFamily {
  static constexpr std::int64_t kWidth = kMaxVectors * kLanes;
  static SharedMemory carve_shared(const AttendJob& job, Carver& carver) {
    return SharedMemory::carve(job, kWidth, carver);
  }
  static TileMemory carve_tile(const AttendJob& job, Carver& carver) {
    return TileMemory::carve(job, kWidth, carver);
  }

  template <class Stages>
  HWY_INLINE KeyBlock load(const AttendJob& job, const KeyRun& run, std::int64_t from,
                           std::int64_t to, const SharedMemory& shared, Stages stages) {
    const std::int64_t bytes = dtype_bytes(job.dtype);
    const std::byte* const k = run.k + from * run.k_stride * bytes;
    const std::byte* const v = run.v + from * run.v_stride * bytes;
    KeyBlock block(run, from, to);
    if (job.dtype == Dtype::kF32) {
      block.k = reinterpret_cast<const float*>(k);
      block.v = reinterpret_cast<const float*>(v);
      block.k_stride = run.k_stride;
      block.v_stride = run.v_stride;
    } else {
      if (stages.has(Stage::kConversion)) {
        WidenRows(k, job.dtype, run.k_stride, to - from, job.d, shared.k);
        WidenRows(v, job.dtype, run.v_stride, to - from, job.dv, shared.v);
      }
      block.k = shared.k;
      block.v = shared.v;
      block.k_stride = job.d;
      block.v_stride = job.dv;
    }
    return block;
  }

  template <class Stages, class Body>
  HWY_INLINE void with_tile(const AttendJob& job, const AttendRows& rows, const TileRows& mine,
                            const TileMemory& memory, const SharedMemory& shared, Body&& body) {
    WithVectors(mine, [&](auto vectors) HWY_ATTR {
      body(Tile<vectors, Stages>{job, rows, mine, memory, shared, Stages(job.left_out)});
    });
  }
};

constexpr AttendEngine kAttendEngine = {
    target_isa(HWY_TARGET),     Dtype::kF32,          kLanes, FloatFamily::kWidth,
    &ScratchBytes<FloatFamily>, &Attend<FloatFamily>,
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const AttendEngine> attend_engines() {
  static constexpr AttendEngine kEngines[] = {ATTNLAB_EACH_TARGET(kAttendEngine)};
  return kEngines;
}

}  // namespace attnlab
#endif  // HWY_ONCE
