#include "cost/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

// 1 + 2 + ... + n for n < 2^63 - 1; the even one of n, n + 1 is halved first.
Count triangle(std::int64_t n) {
  if (n <= 0) return 0;
  return n % 2 == 0 ? Count(n / 2) * (n + 1) : Count(n) * (n / 2 + 1);
}

// Couples (i, j) with 0 <= i < nq, 0 <= j < nk and j <= i + offset.
Count pairs_up_to(std::int64_t nq, std::int64_t nk, std::int64_t offset) {
  // Query i sees min(nk, i + offset + 1) keys, at least 0: first rows with none, then growing ones,
  // then full ones.
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, nq);  // first row that sees any
  const std::int64_t full = std::clamp<std::int64_t>(nk - offset - 1, first, nq);  // first full row
  return triangle(full + offset) - triangle(first + offset) + Count(nq - full) * nk;
}

// Couples of a chunk's queries at places [first, last) with its keys at [begin, end).
Count pairs_in_chunk(bool causal, std::int64_t first, std::int64_t last, std::int64_t begin,
                     std::int64_t end) {
  if (first >= last || begin >= end) return 0;
  return causal ? pairs_up_to(last - first, end - begin, first - begin)
                : Count(last - first) * (end - begin);
}

// Query i stands at place i + shift; a chunk is the places [m C, (m + 1) C).
Count chunked_pairs(bool causal, std::int64_t shift, std::int64_t nq, std::int64_t nk,
                    std::int64_t chunk) {
  const auto part = [&](std::int64_t m) {
    return pairs_in_chunk(causal, std::max(m * chunk, shift), std::min((m + 1) * chunk, nq + shift),
                          m * chunk, std::min((m + 1) * chunk, nk));
  };
  if (nq <= 0 || nk <= 0) return 0;
  const std::int64_t first = std::max<std::int64_t>(shift, 0) / chunk;
  const std::int64_t last = (std::min(nq + shift, nk) - 1) / chunk;  // the last with both
  if (last - first < 2) return last == first ? part(first) : part(first) + part(last);
  return part(first) + Count(last - first - 1) * part(first + 1) + part(last);
}

}  // namespace

std::span<const std::string_view> choice_names(CausalMask) {
  static constexpr std::string_view kNames[] = {"none", "top-left", "bottom-right"};
  return kNames;
}

Count visible_pairs(CausalMask causal, const Reach& reach, std::int64_t nq, std::int64_t nk) {
  // Without a causal mask |i - j| < W counts j against i itself, as top-left does.
  const std::int64_t shift = causal == CausalMask::kBottomRight ? nk - nq : 0;
  const bool is_causal = causal != CausalMask::kNone;
  if (reach.chunk) return chunked_pairs(is_causal, shift, nq, nk, *reach.chunk);
  const auto window = reach.window;
  const Count last = is_causal ? pairs_up_to(nq, nk, shift)
                     : window  ? pairs_up_to(nq, nk, *window - 1)
                               : Count(nq) * nk;
  return window ? last - pairs_up_to(nq, nk, shift - *window) : last;
}

PairCurve pair_curve(CausalMask causal, const Reach& reach, double from) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const bool is_causal = causal != CausalMask::kNone;
  PairCurve curve{is_causal ? 0.5 : 1.0, is_causal ? 0.5 : 0.0, 0, kForever};
  if (reach.window) {
    const auto w = static_cast<double>(*reach.window);
    if (from < w) {
      curve.until = w;
    } else {  // each query sees `most` keys but for those near the ends
      curve = {0, is_causal ? w : 2 * w - 1, is_causal ? -w * (w - 1) / 2 : -w * (w - 1), kForever};
    }
  } else if (reach.chunk) {
    // m whole chunks and r = n - m C places of the next.
    const auto c = static_cast<double>(*reach.chunk);
    const double m = std::floor(from / c), whole = is_causal ? c * (c + 1) / 2 : c * c;
    const double a = curve.square, b = curve.linear;
    curve = {a, b - 2 * a * m * c, m * whole + a * m * c * m * c - b * m * c, (m + 1) * c};
  }
  return curve;
}

}  // namespace attnlab
