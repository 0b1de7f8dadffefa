#include "read_loop.h"

#include <algorithm>
#include <atomic>

#include "attention/key_split.h"
#include "attention/simd/decode.h"
#include "base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "read_loop.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // compiles this file once for each target
#include <hwy/highway.h>

#include "machine/target_table.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kAhead>
std::uint64_t ReadBytes(const std::byte* begin, std::int64_t bytes, const std::byte* ahead) {
  const hn::ScalableTag<std::uint64_t> d;
  constexpr auto kVector = static_cast<std::int64_t>(HWY_LANES(std::uint64_t)) * 8;
  constexpr std::int64_t kLine = 64;
  auto sum = hn::Zero(d);
  for (std::int64_t i = 0; i < bytes; i += kLine) {
    if constexpr (kAhead) hwy::Prefetch(ahead + i);
    for (std::int64_t j = 0; j < kLine; j += kVector) {
      sum = hn::Xor(sum, hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(begin + i + j)));
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

std::uint64_t Read(const std::byte* begin, std::int64_t bytes) {
  return ReadBytes<false>(begin, bytes, nullptr);
}
std::uint64_t ReadAhead(const std::byte* begin, std::int64_t bytes, const std::byte* ahead) {
  return ReadBytes<true>(begin, bytes, ahead);
}

constexpr ReadLoop kReadLoop = {target_isa(HWY_TARGET), &Read, &ReadAhead};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {
namespace {

constexpr ReadLoop kLoops[] = {ATTNLAB_EACH_TARGET(kReadLoop)};

}  // namespace

void read_cache(const Problem& problem, const Operands& operands, Isa isa, const Asking& asking,
                ThreadTeam& team) {
  const ReadLoop* loop = nullptr;
  for (const ReadLoop& candidate : kLoops) {
    if (candidate.isa == isa) loop = &candidate;
  }
  ATTNLAB_CHECK(loop != nullptr);
  const KeySplit split(problem.nk);
  const std::int64_t k_row = problem.head_dim * dtype_bytes(problem.dtype);
  const std::int64_t v_row = problem.head_dim_v * dtype_bytes(problem.dtype);
  static std::atomic<std::uint64_t> sink;  // what nobody reads would not be read
  team.run(problem.batch * problem.kv_heads * split.chunks, [&](std::int64_t task, int) {
    const std::int64_t head = task / split.chunks, first = task % split.chunks * split.chunk_keys;
    const std::int64_t b = head / problem.kv_heads, h = head % problem.kv_heads;
    const std::int64_t last = std::min(first + split.chunk_keys, problem.nk);
    std::uint64_t sum = 0;
    for (std::int64_t begin = first; begin < last; begin += kDecodeBlock) {
      const std::int64_t keys = std::min(kDecodeBlock, last - begin);
      const std::byte* const k = operands.k.row(b, h, begin);
      const std::byte* const v = operands.v.row(b, h, begin);
      for (const RowScales& scales : {operands.k_scales, operands.v_scales}) {
        if (scales.data == nullptr) continue;
        sum ^= loop->read(reinterpret_cast<const std::byte*>(scales.row(b, h) + begin), keys * 4);
      }
      if (asking.bytes == 0) {
        sum ^= loop->read(k, keys * k_row) ^ loop->read(v, keys * v_row);
        continue;
      }
      sum ^= loop->read_ahead(k, keys * k_row, k + asking.bytes);
      sum ^=
          loop->read_ahead(v, keys * v_row, asking.next_keys ? k + keys * k_row : v + asking.bytes);
    }
    sink.store(sum, std::memory_order_relaxed);
  });
}

}  // namespace attnlab
#endif  // HWY_ONCE
