#include "cost/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab {
namespace {

using Wide = __int128;

// Sum over places p in [first, last) of p + offset, held between low and high.
Wide clamped_sum(Wide first, Wide last, Wide offset, Wide low, Wide high) {
  if (first >= last) return 0;
  const auto within = [&](Wide p) { return std::clamp(p, first, last); };
  const Wide rising = within(low - offset);                       // below: low
  const Wide flat = std::max(rising, within(high - offset + 1));  // from here on: high
  const Wide middle = flat - rising;
  return (rising - first) * low + middle * offset + middle * (rising + flat - 1) / 2 +
         (last - flat) * high;
}

// Couples of a chunk's queries at places [first, last) with its keys at [begin, end).
Wide pairs_in_chunk(bool causal, Wide first, Wide last, Wide begin, Wide end) {
  if (first >= last || begin >= end) return 0;
  return causal ? clamped_sum(first, last, 1 - begin, 0, end - begin)
                : (last - first) * (end - begin);
}

// Query i stands at place i + shift; a chunk is the places [m C, (m + 1) C).
Wide chunked_pairs(bool causal, Wide shift, Wide nq, Wide nk, Wide chunk) {
  const auto part = [&](Wide m) {
    return pairs_in_chunk(causal, std::max(m * chunk, shift), std::min((m + 1) * chunk, nq + shift),
                          m * chunk, std::min((m + 1) * chunk, nk));
  };
  if (nq <= 0 || nk <= 0) return 0;
  const Wide first = std::max<Wide>(shift, 0) / chunk;
  const Wide last = (std::min(nq + shift, nk) - 1) / chunk;  // the last with both
  if (last - first < 2) return last == first ? part(first) : part(first) + part(last);
  return part(first) + (last - first - 1) * part(first + 1) + part(last);
}

// The same with a window, or with all keys. Without a causal mask |i - j| < W counts j against i
// itself, as top-left does.
Wide windowed_pairs(bool causal, const Reach& reach, Wide shift, Wide nq, Wide nk) {
  const Wide end = shift + nq;                                   // places [shift, end)
  const Wide first = causal ? std::max<Wide>(shift, 0) : shift;  // earlier ones see nothing
  const auto seen_by = [&](Wide from, Wide to) {                 // no window
    return causal ? clamped_sum(from, to, 1, 0, nk) : std::max<Wide>(to - from, 0) * nk;
  };
  if (!reach.window) return seen_by(first, end);
  const Wide window = *reach.window, global = reach.global_tokens;
  const Wide ordinary = std::max(first, global);  // queries before this one are global
  const Wide kept = std::min(global, nk);         // global keys, seen by every ordinary query
  const Wide ordinary_queries = std::max<Wide>(end - ordinary, 0);
  const Wide past_window = clamped_sum(ordinary, end, causal ? 1 : window, kept, nk);
  const Wide before_window = clamped_sum(ordinary, end, 1 - window, kept, nk);
  return seen_by(first, std::min(end, global)) + ordinary_queries * kept + past_window -
         before_window;
}

}  // namespace

std::span<const std::string_view> choice_names(Causal) {
  static constexpr std::string_view kNames[] = {"none", "top-left", "bottom-right"};
  return kNames;
}

Count visible_pairs(Causal causal, const Reach& reach, std::int64_t nq, std::int64_t nk) {
  const std::int64_t shift = query_shift(causal, nq, nk);
  const bool is_causal = causal != Causal::kNone;
  return Count::of(reach.chunk ? chunked_pairs(is_causal, shift, nq, nk, *reach.chunk)
                               : windowed_pairs(is_causal, reach, shift, nq, nk));
}

PairCurve pair_curve(Causal causal, const Reach& reach, double from) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const bool is_causal = causal != Causal::kNone;
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
