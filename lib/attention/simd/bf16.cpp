// Attention of a group of queries with products of bfloat16, by vectors of pairs (AVX512-BF16) and
// by a tile unit (AMX); bf16_block-inl.h has the arithmetic.
// q [rows, D]   k [keys, D]   v [keys, Dv]   o [rows, Dv]
#include "attention/simd/bf16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/simd/bf16.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "attention/simd/attend_loop-inl.h"
#include "attention/simd/bf16_block-inl.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

template <std::int64_t kQueries, bool kTiles>
struct Bf16Family {
  static constexpr std::int64_t kWidth = kQueries;
  static Bf16SharedMemory carve_shared(const AttendJob& job, Carver& carver) {
    return Bf16SharedMemory::carve(job, kWidth, carver);
  }
  static TileMemory carve_tile(const AttendJob& job, Carver& carver) {
    return carve_bf16_tile(job, kWidth, carver);
  }

  template <class Stages>
  HWY_INLINE Bf16Block load(const AttendJob& job, const KeyRun& run, std::int64_t from,
                            std::int64_t to, const Bf16SharedMemory& shared, Stages stages) {
    const bool convert = stages.has(Stage::kConversion);
    return job.dtype == Dtype::kBf16
               ? LoadBlock<kTiles, Bf16>(job, run, from, to, shared, convert)
               : LoadBlock<kTiles, float>(job, run, from, to, shared, convert);
  }
};

template <class Products>
struct PairFamily : Bf16Family<kMaxVectors * kLanes, false> {
  template <class Stages, class Body>
  HWY_INLINE void with_tile(const AttendJob& job, const AttendRows& rows, const TileRows& mine,
                            const TileMemory& memory, const Bf16SharedMemory& shared, Body&& body) {
    WithVectors(mine, [&](auto vectors) HWY_ATTR {
      body(Bf16PairTile<vectors, Stages, Products>{
          {{job, rows, mine, memory, shared.floats, Stages(job.left_out)}, shared}});
    });
  }
};

template <class Unit, class Products>
struct UnitFamily : Bf16Family<32, true> {
  Unit unit;

  template <class Stages, class Body>
  HWY_INLINE void with_tile(const AttendJob& job, const AttendRows& rows, const TileRows& mine,
                            const TileMemory& memory, const Bf16SharedMemory& shared, Body&& body) {
    body(Bf16UnitTile<Stages, Unit, Products>{
        {{job, rows, mine, memory, shared.floats, Stages(job.left_out)}, shared}, unit});
  }
};

template <class Family>
constexpr AttendEngine Bf16Engine(Isa isa) {
  return {isa, Dtype::kBf16, kLanes, Family::kWidth, &ScratchBytes<Family>, &Attend<Family>};
}

constexpr AttendEngine kPlainPairs = Bf16Engine<PairFamily<PlainPairs>>(target_isa(HWY_TARGET));
constexpr AttendEngine kPlainTiles =
    Bf16Engine<UnitFamily<PlainTiles, PlainPairs>>(target_isa(HWY_TARGET));
#if HWY_ARCH_X86_64
constexpr AttendEngine kTileUnit =
    Bf16Engine<UnitFamily<NativeTiles, PlainPairs>>(target_isa(HWY_TARGET));
#endif
#if HWY_TARGET == HWY_AVX3
constexpr AttendEngine kNativePairs = Bf16Engine<PairFamily<NativePairs>>(Isa::kAvx512Bf16);
constexpr AttendEngine kNativeTiles = Bf16Engine<UnitFamily<NativeTiles, NativePairs>>(Isa::kAmx);
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

std::span<const AttendEngine> bf16_engines() {
#if HWY_TARGETS & HWY_AVX3
  static constexpr AttendEngine kEngines[] = {N_AVX3::kNativePairs, N_AVX3::kNativeTiles};
  return kEngines;
#else
  return {};
#endif
}

std::span<const AttendEngine> plain_bf16_engines() {
  static constexpr AttendEngine kEngines[] = {ATTNLAB_EACH_TARGET(kPlainPairs)
                                                  ATTNLAB_EACH_TARGET(kPlainTiles)};
  return kEngines;
}

std::span<const AttendEngine> tile_unit_engines() {
#if HWY_ARCH_X86_64
  static constexpr AttendEngine kEngines[] = {ATTNLAB_EACH_TARGET(kTileUnit)};
  return kEngines;
#else
  return {};
#endif
}

}  // namespace attnlab
#endif  // HWY_ONCE
