// A block of keys and values as the bfloat16 engines read them, from bf16 or from f32, rounded.
#if defined(ATTNLAB_ATTENTION_SIMD_BF16_LOAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNLAB_ATTENTION_SIMD_BF16_LOAD_INL_H_
#undef ATTNLAB_ATTENTION_SIMD_BF16_LOAD_INL_H_
#else
#define ATTNLAB_ATTENTION_SIMD_BF16_LOAD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "attention/simd/attend.h"
#include "attention/simd/bf16_memory.h"
#include "attention/simd/bf16_round-inl.h"
#include "attention/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

// Keys [begin, end) of a run.
struct Bf16Block {
  const KeyRun& run;
  std::int64_t begin, end;
  const std::uint32_t* k;  // a key's pairs of channels, k_stride from key to key
  std::int64_t k_stride;
  bool has_nonfinite;  // a NaN or Inf is among the values, which holds a zero in its place
};

HWY_INLINE BitsVec LoadBf16Bits(const float* p) {
  return RoundedBits(hn::LoadU(hn::ScalableTag<float>(), p));
}
HWY_INLINE BitsVec LoadBf16Bits(const Bf16* p) {
  const hn::Rebind<std::uint16_t, hn::ScalableTag<float>> dh;
  return hn::PromoteTo(BitsTag(), hn::LoadU(dh, reinterpret_cast<const std::uint16_t*>(p)));
}
HWY_INLINE std::uint32_t Bf16Bits(float x) { return to_bf16(x).bits; }
HWY_INLINE std::uint32_t Bf16Bits(Bf16 x) { return x.bits; }

HWY_INLINE bool IsNonfinite(std::uint32_t bits) { return (bits & 0x7F80u) == 0x7F80u; }

// Rows of pairs without gaps, `pairs` each, the last ones filled up with zeros, and zeros in the
// rows after the last.
template <class T>
HWY_INLINE void CopyRows(const T* in, std::int64_t stride, std::int64_t rows, std::int64_t all_rows,
                         std::int64_t d, std::int64_t pairs, std::uint32_t* out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    auto* const row = reinterpret_cast<Bf16*>(out + r * pairs);
    if constexpr (sizeof(T) == 2) {
      std::memcpy(row, in + r * stride, static_cast<std::size_t>(d) * 2);
    } else {
      RoundRow(in + r * stride, d, 1.0f, row);
    }
    std::fill(row + d, row + 2 * pairs, Bf16{0});
  }
  std::fill_n(out + rows * pairs, (all_rows - rows) * pairs, 0u);
}

// out[p][c] = the values c of rows 2p and 2p + 1, for `pairs` pairs of rows; beyond the last row
// and from channel dv on zeros, and zeros for NaN and Inf, of which it tells whether there are any.
template <class T>
HWY_INLINE bool PairValues(const T* in, std::int64_t stride, std::int64_t rows, std::int64_t dv,
                           std::int64_t pairs, std::int64_t channels, std::uint32_t* out) {
  const BitsTag du;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(du));
  const BitsVec exponent = hn::Set(du, 0x7F80u);
  BitsVec nonfinite = hn::Zero(du);
  const auto finite = [&](BitsVec bits) HWY_ATTR {
    const BitsVec wrong = hn::VecFromMask(du, hn::Eq(hn::And(bits, exponent), exponent));
    nonfinite = hn::Or(nonfinite, wrong);
    return hn::AndNot(wrong, bits);
  };
  bool any = false;
  for (std::int64_t p = 0; p < pairs; ++p) {
    std::uint32_t* const to = out + p * channels;
    const std::int64_t here = std::clamp<std::int64_t>(rows - 2 * p, 0, 2);
    const T* const first = in + 2 * p * stride;
    const T* const second = first + stride;
    std::int64_t c = 0;
    for (; here == 2 && c + lanes <= dv; c += lanes) {
      const BitsVec upper = hn::ShiftLeft<16>(finite(LoadBf16Bits(second + c)));
      hn::StoreU(hn::Or(finite(LoadBf16Bits(first + c)), upper), du, to + c);
    }
    for (; here > 0 && c < dv; ++c) {
      const std::uint32_t a = Bf16Bits(first[c]), b = here == 2 ? Bf16Bits(second[c]) : 0;
      any = any || IsNonfinite(a) || IsNonfinite(b);
      to[c] = (IsNonfinite(a) ? 0 : a) | (IsNonfinite(b) ? 0 : b) << 16;
    }
    std::fill(to + c, to + channels, 0u);
  }
  return any || !hn::AllTrue(du, hn::Eq(nonfinite, hn::Zero(du)));
}

// Keys [from, to) of the run. Keys lie as they are where their rows are whole dwords and, for
// tiles, whole tiles; otherwise they are copied. kTiles: values are transposed too.
template <bool kTiles, class T>
HWY_INLINE Bf16Block LoadBlock(const AttendJob& job, const KeyRun& run, std::int64_t from,
                               std::int64_t to, const Bf16SharedMemory& shared, bool convert) {
  const Bf16Sizes sizes(job);
  const T* const k = reinterpret_cast<const T*>(run.k) + from * run.k_stride;
  const T* const v = reinterpret_cast<const T*>(run.v) + from * run.v_stride;
  const std::int64_t keys = to - from;
  const std::int64_t padded = kTiles ? (keys + 31) / 32 * 32 : keys;
  const bool as_it_lies = sizeof(T) == 2 && reinterpret_cast<std::uintptr_t>(k) % 4 == 0 &&
                          run.k_stride % 2 == 0 && job.d % (kTiles ? 32 : 2) == 0 && padded == keys;
  Bf16Block block{run, from, to, shared.k, sizes.pairs, false};
  if (as_it_lies) {
    block.k = reinterpret_cast<const std::uint32_t*>(k);
    block.k_stride = run.k_stride / 2;
  } else if (convert) {
    CopyRows(k, run.k_stride, keys, padded, job.d, sizes.pairs, shared.k);
  }
  if (!convert) return block;
  const std::int64_t pairs = (padded + 1) / 2;
  block.has_nonfinite = PairValues(v, run.v_stride, keys, job.dv, pairs, sizes.channels, shared.v);
  if constexpr (kTiles) {
    TransposeBits(shared.v, sizes.channels, pairs, sizes.channels, shared.v_rows, sizes.v_stride);
  }
  return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#endif  // per target
