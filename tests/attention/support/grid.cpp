#include "support/grid.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnlab::test {
namespace {

constexpr std::int64_t kLengths[] = {1, 3, 7, 63, 65, 129};
constexpr std::int64_t kHeadSizes[] = {1, 5, 64, 72, 80, 128, 256};
constexpr Causal kCausals[] = {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight};
constexpr std::array<std::int64_t, 2> kHeads[] = {{1, 1}, {4, 4}, {4, 2}, {3, 1}};
constexpr MaskShape kMasks[] = {{},
                                {MaskKind::kBoolean, false, false, true},
                                {MaskKind::kAdditive, true, true, true},
                                {},
                                {MaskKind::kBoolean, true, false, false},
                                {MaskKind::kAdditive, false, true, false},
                                {MaskKind::kBoolean, true, true, true}};
constexpr double kTemperatures[] = {1, 1, 0.5, 3};
constexpr std::optional<double> kScales[] = {std::nullopt, 1.0, 0.3, -0.2, 0.0};
constexpr Layout kLayouts[] = {Layout::kBhnd, Layout::kBnhd, Layout::kGaps};
constexpr std::int64_t kWindows[] = {1, 2, 9, 40, 300};
constexpr std::int64_t kGlobals[] = {0, 0, 1, 5, 80};
constexpr std::int64_t kStrides[] = {0, 1, 3, 17};
constexpr std::int64_t kFeatures[] = {7, 24, 64};

// Value number `index` of an axis: each run through the axis takes its values in another order.
template <class T, std::size_t kSize>
T pick(const T (&values)[kSize], int index, std::uint64_t axis) {
  std::array<std::size_t, kSize> order;
  for (std::size_t i = 0; i < kSize; ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const int round = index / static_cast<int>(kSize);
    return normal(axis * 100 + static_cast<std::uint64_t>(round), static_cast<std::int64_t>(i));
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return values[order[static_cast<std::size_t>(index) % kSize]];
}

// The exponents of performer's features grow like the square of q and k. Under the scale 1 they are
// so large that rounding decides, and over a few rows the textbook's error is a matter of luck: a
// test of its own looks at many rows.
void limit_scale(Problem& p, Operator op) {
  const double most = 1 / std::sqrt(static_cast<double>(p.head_dim));
  if (op == Operator::kPerformer) p.scale = std::clamp(p.effective_scale(), -most, most);
}

}  // namespace

Problem problem_number(int index, Dtype dtype, Operator op) {
  Problem p;
  const auto heads = pick(kHeads, index, 1);
  p.batch = index % 5 == 0 ? 2 : 1;
  p.heads = heads[0];
  p.kv_heads = heads[1];
  p.nq = pick(kLengths, index, 2);
  p.nk = pick(kLengths, index, 3);
  p.head_dim = pick(kHeadSizes, index, 4);
  p.head_dim_v = index % 3 == 0 ? pick(kHeadSizes, index, 5) : p.head_dim;
  p.causal = pick(kCausals, index, 6);
  p.mask = pick(kMasks, index, 7);
  p.temperature = pick(kTemperatures, index, 8);
  p.scale = pick(kScales, index / 2, 9);
  p.window = pick(kWindows, index, 10);
  p.global_tokens = pick(kGlobals, index, 11);
  p.stride = pick(kStrides, index, 12);
  p.random_blocks = index % 4;
  p.features = pick(kFeatures, index, 13);
  p.seed = static_cast<std::uint64_t>(index);
  p.dtype = dtype;
  limit_scale(p, op);
  return p;
}

Layout layout_number(int index) { return pick(kLayouts, index, 14); }

}  // namespace attnlab::test
