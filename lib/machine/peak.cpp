// The probe's loop, once for each SIMD target. Twelve chains are more than latency times units of
// any core known (4 cycles x 2), and with two constants they fit the sixteen registers of AVX2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine/peak.cpp"
#include <hwy/foreach_target.h>
// Highway's headers come after foreach_target.h.
#include <hwy/highway.h>

#include <atomic>

#include "base/check.h"
#include "machine/amx.h"
#include "machine/peak.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds 24 rounds x lanes FLOPs of work; `factor` and `term` come from outside so that nothing can
// be computed beforehand. Returns a number that depends on all of it.
float peak_chains(std::int64_t rounds, float factor, float term) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, factor), b = hn::Set(d, term);
  auto c0 = hn::Iota(d, 0.0f), c1 = hn::Iota(d, 1.0f), c2 = hn::Iota(d, 2.0f);
  auto c3 = hn::Iota(d, 3.0f), c4 = hn::Iota(d, 4.0f), c5 = hn::Iota(d, 5.0f);
  auto c6 = hn::Iota(d, 6.0f), c7 = hn::Iota(d, 7.0f), c8 = hn::Iota(d, 8.0f);
  auto c9 = hn::Iota(d, 9.0f), c10 = hn::Iota(d, 10.0f), c11 = hn::Iota(d, 11.0f);
  for (std::int64_t i = 0; i < rounds; ++i) {
    c0 = hn::MulAdd(c0, a, b);
    c1 = hn::MulAdd(c1, a, b);
    c2 = hn::MulAdd(c2, a, b);
    c3 = hn::MulAdd(c3, a, b);
    c4 = hn::MulAdd(c4, a, b);
    c5 = hn::MulAdd(c5, a, b);
    c6 = hn::MulAdd(c6, a, b);
    c7 = hn::MulAdd(c7, a, b);
    c8 = hn::MulAdd(c8, a, b);
    c9 = hn::MulAdd(c9, a, b);
    c10 = hn::MulAdd(c10, a, b);
    c11 = hn::MulAdd(c11, a, b);
  }
  const auto low = hn::Add(hn::Add(hn::Add(c0, c1), hn::Add(c2, c3)), hn::Add(c4, c5));
  const auto high = hn::Add(hn::Add(hn::Add(c6, c7), hn::Add(c8, c9)), hn::Add(c10, c11));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
}

constexpr PeakProbe kPeakProbe = {target_isa(HWY_TARGET), HWY_LANES(float), &peak_chains};

#if HWY_TARGET == HWY_AVX3
// The same with AVX512-BF16, in assembly: this target is compiled for processors without it. The
// factors are any pairs of bfloat16.
float pair_chains(std::int64_t rounds, float factor, float term) {
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, factor), b = hn::Set(d, term);
  constexpr int kChains = 12;
  hn::Vec<decltype(d)> sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = hn::Iota(d, static_cast<float>(i));
  for (std::int64_t i = 0; i < rounds; ++i) {
    for (auto& one : sum) asm("vdpbf16ps %2, %1, %0" : "+v"(one.raw) : "v"(a.raw), "v"(b.raw));
  }
  auto all = sum[0];
  for (int i = 1; i < kChains; ++i) all = hn::Add(all, sum[i]);
  return hn::GetLane(hn::SumOfLanes(d, all));
}

constexpr PeakProbe kPairProbe = {Isa::kAvx512Bf16, 2 * HWY_LANES(float), &pair_chains};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {
namespace {

constexpr PeakProbe kProbes[] = {ATTNLAB_EACH_TARGET(kPeakProbe)
#if HWY_TARGETS & HWY_AVX3
                                     N_AVX3::kPairProbe
#endif
};
constexpr std::int64_t kChains = 12;
constexpr std::int64_t kRoundsOfTiles = 12;  // rounds of vectors that take about as long as one

}  // namespace

Isa peak_isa(Isa isa) { return isa == Isa::kBlas ? simd_isas().back() : isa; }

double run_peak_probe(Isa isa, std::int64_t rounds, ThreadTeam& team) {
  if (isa == Isa::kAmx) return run_amx_probe(rounds / kRoundsOfTiles + 1, team);
  const PeakProbe* probe = nullptr;
  for (const PeakProbe& candidate : kProbes) {
    if (candidate.isa == isa) probe = &candidate;
  }
  ATTNLAB_CHECK(probe != nullptr);
  static std::atomic<float> sink;  // what nobody reads would not be computed
  team.run(team.threads(), [&](std::int64_t task, int) {
    const float result = probe->chains(rounds, 0.999f, 0.001f * static_cast<float>(task + 1));
    sink.store(result, std::memory_order_relaxed);
  });
  return 2.0 * static_cast<double>(kChains * probe->multiply_adds * rounds * team.threads());
}

}  // namespace attnlab
#endif  // HWY_ONCE
