// The probes' loops, once for each SIMD target: eight vectors a turn, so that the adders wait for
// loads and not for each other.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine/bandwidth.cpp"
#include <hwy/foreach_target.h>
// Highway's headers come after foreach_target.h.
#include <hwy/highway.h>

#include <atomic>

#include "base/check.h"
#include "machine/bandwidth.h"
#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectors = 8;

float bandwidth_read(const std::byte* from, std::int64_t bytes) {
  const hn::ScalableTag<float> d;
  const auto* at = reinterpret_cast<const float*>(from);
  const auto* const end = at + bytes / static_cast<std::int64_t>(sizeof(float));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; at < end; at += kVectors * lanes) {
    s0 = hn::Add(s0, hn::Load(d, at));
    s1 = hn::Add(s1, hn::Load(d, at + lanes));
    s2 = hn::Add(s2, hn::Load(d, at + 2 * lanes));
    s3 = hn::Add(s3, hn::Load(d, at + 3 * lanes));
    s4 = hn::Add(s4, hn::Load(d, at + 4 * lanes));
    s5 = hn::Add(s5, hn::Load(d, at + 5 * lanes));
    s6 = hn::Add(s6, hn::Load(d, at + 6 * lanes));
    s7 = hn::Add(s7, hn::Load(d, at + 7 * lanes));
  }
  const auto low = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  const auto high = hn::Add(hn::Add(s4, s5), hn::Add(s6, s7));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
}

void bandwidth_copy(const std::byte* from, std::byte* to, std::int64_t bytes) {
  const hn::ScalableTag<float> d;
  const auto* at = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<float*>(to);
  const auto* const end = at + bytes / static_cast<std::int64_t>(sizeof(float));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; at < end; at += 4 * lanes, out += 4 * lanes) {
    const auto v0 = hn::Load(d, at), v1 = hn::Load(d, at + lanes);
    const auto v2 = hn::Load(d, at + 2 * lanes), v3 = hn::Load(d, at + 3 * lanes);
    hn::Store(v0, d, out);
    hn::Store(v1, d, out + lanes);
    hn::Store(v2, d, out + 2 * lanes);
    hn::Store(v3, d, out + 3 * lanes);
  }
}

static_assert(kBandwidthBlock % (kVectors * HWY_LANES(float) * sizeof(float)) == 0);
constexpr BandwidthProbe kBandwidthProbe = {target_isa(HWY_TARGET), &bandwidth_read,
                                            &bandwidth_copy};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {
namespace {

constexpr BandwidthProbe kProbes[] = {ATTNLAB_EACH_TARGET(kBandwidthProbe)};

const BandwidthProbe& probe_of(Isa isa) {
  const BandwidthProbe* out = nullptr;
  for (const BandwidthProbe& candidate : kProbes) {
    if (candidate.isa == isa) out = &candidate;
  }
  ATTNLAB_CHECK(out != nullptr);
  return *out;
}

// Whole blocks of a thread's part.
std::int64_t part_bytes(std::size_t bytes, int threads, std::int64_t unit) {
  const std::int64_t out = static_cast<std::int64_t>(bytes) / threads / unit * unit;
  ATTNLAB_CHECK(out > 0);
  return out;
}

}  // namespace

double run_read_probe(Isa isa, std::span<const std::byte> buffer, std::int64_t rounds,
                      ThreadTeam& team) {
  const BandwidthProbe& probe = probe_of(isa);
  const std::int64_t part = part_bytes(buffer.size(), team.threads(), kBandwidthBlock);
  static std::atomic<float> sink;  // what nobody reads would not be computed
  team.run(team.threads(), [&](std::int64_t task, int) {
    for (std::int64_t i = 0; i < rounds; ++i) {
      sink.store(probe.read(buffer.data() + task * part, part), std::memory_order_relaxed);
    }
  });
  return static_cast<double>(part) * static_cast<double>(rounds) * team.threads();
}

double run_copy_probe(Isa isa, std::span<std::byte> buffer, std::int64_t rounds, ThreadTeam& team) {
  const BandwidthProbe& probe = probe_of(isa);
  const std::int64_t part = part_bytes(buffer.size(), team.threads(), 2 * kBandwidthBlock);
  team.run(team.threads(), [&](std::int64_t task, int) {
    std::byte* const from = buffer.data() + task * part;
    for (std::int64_t i = 0; i < rounds; ++i) probe.copy(from, from + part / 2, part / 2);
  });
  return static_cast<double>(part) * static_cast<double>(rounds) * team.threads();
}

}  // namespace attnlab
#endif  // HWY_ONCE
