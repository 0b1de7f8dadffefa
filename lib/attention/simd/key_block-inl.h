// What a tile of the blocked softmax kernels works on: its queries, and a block of keys.
#if defined(ATTNLAB_ATTENTION_SIMD_KEY_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_KEY_BLOCK_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_KEY_BLOCK_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_KEY_BLOCK_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "attention/simd/attend.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// Queries of a tile: rows [first, first + count) of the group.
struct TileRows {
  std::int64_t first, count;
};

// Keys [begin, end) of a run, with their k and v as float32.
class KeyBlock {
 public:
  KeyBlock(const KeyRun& of, std::int64_t from, std::int64_t to) : run(of), begin(from), end(to) {}
  const KeyRun& run;
  const std::int64_t begin, end;
  const float* k = nullptr;
  const float* v = nullptr;
  std::int64_t k_stride = 0, v_stride = 0;

  // Whether a NaN or Inf is among the first `channels` of each value row: asked only where some
  // queries do not see some keys, and looked up once for all tiles.
  bool HasNonfinite(std::int64_t channels) {
    if (nonfinite_ != Known::kNot) return nonfinite_ == Known::kYes;
    std::uint32_t found = 0;
    for (std::int64_t j = 0; j < end - begin; ++j) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto bits = std::bit_cast<std::uint32_t>(v[j * v_stride + c]);
        found |= static_cast<std::uint32_t>((bits & 0x7F800000u) == 0x7F800000u);
      }
    }
    nonfinite_ = found != 0 ? Known::kYes : Known::kNo;
    return found != 0;
  }

 private:
  enum class Known { kNot, kNo, kYes };
  Known nonfinite_ = Known::kNot;
};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
