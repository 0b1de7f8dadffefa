// The tile unit as the bfloat16 engine uses it: eight tile registers of 16 rows of 64 bytes.
//   c[i][j] += sum over p of a[i][p] . b[p][j]   c: 16 x 16 float32, a: 16 rows of 16 pairs,
//                                                b: 16 rows, one a pair, of 16 columns
// Intel Architecture Instruction Set Extensions, chapter Advanced Matrix Extensions: TDPBF16PS.
#if defined(ATTNLAB_ATTENTION_SIMD_BF16_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_BF16_TILES_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_BF16_TILES_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_BF16_TILES_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "machine/amx.h"
#include "tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// Plain arithmetic, for processors without a tile unit: sums of even and of odd places apart, as
// the manual's operation has it.
class PlainTiles {
 public:
  template <int kTile>
  void Zero() {
    std::memset(tiles_[kTile], 0, sizeof tiles_[kTile]);
  }
  // Rows are `stride` bytes apart.
  template <int kTile>
  void Load(const void* from, std::int64_t stride) {
    for (std::int64_t i = 0; i < 16; ++i) {
      std::memcpy(tiles_[kTile][i], static_cast<const std::byte*>(from) + i * stride, 64);
    }
  }
  template <int kTile>
  void Store(void* to, std::int64_t stride) {
    for (std::int64_t i = 0; i < 16; ++i) {
      std::memcpy(static_cast<std::byte*>(to) + i * stride, tiles_[kTile][i], 64);
    }
  }
  template <int kC, int kA, int kB>
  void Add() {
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 16; ++j) {
        float even = 0, odd = 0;
        for (int p = 0; p < 16; ++p) {
          even += Half(kA, i, 2 * p) * Half(kB, p, 2 * j);
          odd += Half(kA, i, 2 * p + 1) * Half(kB, p, 2 * j + 1);
        }
        const float sum = Float(kC, i, j) + (even + odd);
        std::memcpy(tiles_[kC][i] + 4 * j, &sum, 4);
      }
    }
  }

 private:
  float Float(int tile, int row, int column) const {
    float out;
    std::memcpy(&out, tiles_[tile][row] + 4 * column, 4);
    return out;
  }
  float Half(int tile, int row, int column) const {
    Bf16 out;
    std::memcpy(&out, tiles_[tile][row] + 2 * column, 2);
    return to_float(out);
  }
  alignas(64) std::byte tiles_[8][16][64];
};

#if HWY_ARCH_X86_64
// AMX. In assembly, because the compiler's own functions want the number of a tile written out, and
// their target. Configured for this thread while it lives.
class NativeTiles {
 public:
  NativeTiles() { configure_tiles(); }
  ~NativeTiles() { release_tiles(); }
  NativeTiles(const NativeTiles&) = delete;
  NativeTiles& operator=(const NativeTiles&) = delete;

  template <int kTile>
  HWY_INLINE void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  HWY_INLINE void Load(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kTile>
  HWY_INLINE void Store(void* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kC, int kA, int kB>
  HWY_INLINE void Add() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kC), "i"(kA), "i"(kB));
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
