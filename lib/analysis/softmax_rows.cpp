#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analysis/softmax_rows.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "analysis/softmax_row.h"
#include "analysis/softmax_rows.h"
#include "base/check.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// factor = scale / temperature, finite. The same steps as softmax_row.
void Rows(const double* scores, std::int64_t keys, std::int64_t stride, std::int64_t rows,
          double factor, const RowStatisticsColumns& out) {
  constexpr double kNothing = 700.0;  // e^-g is left out of every sum from this gap on
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0), scale = hn::Set(d, factor);
  const V log2e = hn::Set(d, std::numbers::log2e);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; row += lanes) {
    V low = hn::LoadU(d, scores + row), high = low;
    for (std::int64_t key = 1; key < keys; ++key) {
      const V score = hn::LoadU(d, scores + key * stride + row);
      low = hn::Min(low, score);
      high = hn::Max(high, score);
    }
    const V best = factor < 0.0 ? low : high;
    V ties = zero, small = zero, weighted = zero;
    for (std::int64_t key = 0; key < keys; ++key) {
      const V gap = hn::Mul(hn::Sub(best, hn::LoadU(d, scores + key * stride + row)), scale);
      const V e = hn::Exp(d, hn::Neg(hn::Min(gap, hn::Set(d, kNothing))));
      const auto counts = hn::And(hn::Gt(gap, zero), hn::Lt(gap, hn::Set(d, kNothing)));
      ties = hn::Add(ties, hn::IfThenZeroElse(hn::Gt(gap, zero), one));
      small = hn::Add(small, hn::IfThenElseZero(counts, e));
      weighted = hn::Add(weighted, hn::IfThenElseZero(counts, hn::Mul(gap, e)));
    }
    const V rest = hn::Add(hn::Sub(ties, one), small), sum = hn::Add(one, rest);
    const V entropy = hn::Add(hn::Log1p(d, rest), hn::Div(weighted, sum));
    hn::StoreU(hn::Mul(hn::Sub(high, low), hn::Abs(scale)), d, out.spread + row);
    hn::StoreU(hn::Mul(entropy, log2e), d, out.entropy + row);
    hn::StoreU(hn::Div(one, sum), d, out.max_weight + row);
    hn::StoreU(hn::Div(rest, hn::Mul(sum, sum)), d, out.gradient_scale + row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {
namespace {

using RowsFunction = void (*)(const double* scores, std::int64_t keys, std::int64_t stride,
                              std::int64_t rows, double factor, const RowStatisticsColumns& out);

RowsFunction rows_function(Isa isa) {
#if HWY_TARGETS & HWY_SSE4
  if (isa == Isa::kSse4) return &N_SSE4::Rows;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (isa == Isa::kAvx2) return &N_AVX2::Rows;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (isa == Isa::kAvx512) return &N_AVX3::Rows;
#endif
#if HWY_TARGETS & HWY_NEON
  if (isa == Isa::kNeon) return &N_NEON::Rows;
#endif
  ATTNLAB_CHECK(false && "an instruction set that simd_isas() does not list");
  std::abort();
}

}  // namespace

void softmax_rows(const double* scores, std::int64_t keys, std::int64_t stride, std::int64_t rows,
                  double scale, double temperature, const RowStatisticsColumns& out, Isa isa) {
  ATTNLAB_CHECK(keys >= 1 && rows <= stride && temperature >= 0.0);
  const double factor = scale / temperature;
  if (std::isfinite(factor)) {
    rows_function(isa)(scores, keys, stride, rows, factor, out);
    return;
  }
  std::vector<double> one(static_cast<std::size_t>(keys));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t key = 0; key < keys; ++key) {
      one[static_cast<std::size_t>(key)] = scores[key * stride + row];
    }
    const RowStatistics statistics = softmax_row(one, scale, temperature);
    out.spread[row] = statistics.spread;
    out.entropy[row] = statistics.entropy;
    out.max_weight[row] = statistics.max_weight;
    out.gradient_scale[row] = statistics.gradient_scale;
  }
}

}  // namespace attnlab
#endif  // HWY_ONCE
