#include "attention/pairs.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace attnlab {
namespace {

using Wide = __int128;

// Sum over positions p in [first, last) of p + offset, held between low and high.
Wide clamped_sum(Wide first, Wide last, Wide offset, Wide low, Wide high) {
  if (first >= last) return 0;
  const auto within = [&](Wide p) { return std::clamp(p, first, last); };
  const Wide rising = within(low - offset);                       // below: low
  const Wide flat = std::max(rising, within(high - offset + 1));  // from here on: high
  const Wide middle = flat - rising;
  return (rising - first) * low + middle * offset + middle * (rising + flat - 1) / 2 +
         (last - flat) * high;
}

std::optional<std::int64_t> narrow(Wide value) {
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<std::int64_t> count_pairs(const PairShape& shape) {
  ATTNLAB_CHECK(shape.nq >= 0 && shape.nk >= 0 && shape.global_tokens >= 0);
  const bool causal = shape.causal != Causal::kNone;
  const Wide nk = shape.nk;
  const Wide shift = query_shift(shape.causal, shape.nq, shape.nk);
  const Wide end = shift + shape.nq;                             // positions [shift, end)
  const Wide first = causal ? std::max<Wide>(shift, 0) : shift;  // earlier ones see nothing
  const auto seen_by = [&](Wide from, Wide to) {                 // no window
    return causal ? clamped_sum(from, to, 1, 0, nk) : std::max<Wide>(to - from, 0) * nk;
  };
  if (!shape.window) return narrow(seen_by(first, end));
  const Wide window = *shape.window;
  const Wide global = shape.global_tokens;
  const Wide ordinary = std::max(first, global);  // queries before this one are global
  const Wide kept = std::min(global, nk);         // global keys, seen by every ordinary query
  const Wide ordinary_queries = std::max<Wide>(end - ordinary, 0);
  const Wide past_window = clamped_sum(ordinary, end, causal ? 1 : window, kept, nk);
  const Wide before_window = clamped_sum(ordinary, end, 1 - window, kept, nk);
  return narrow(seen_by(first, std::min(end, global)) + ordinary_queries * kept + past_window -
                before_window);
}

std::optional<std::int64_t> checked_product(std::optional<std::int64_t> a,
                                            std::optional<std::int64_t> b) {
  if (!a || !b) return std::nullopt;
  return narrow(Wide{*a} * *b);
}

std::optional<std::int64_t> checked_sum(std::optional<std::int64_t> a,
                                        std::optional<std::int64_t> b) {
  if (!a || !b) return std::nullopt;
  return narrow(Wide{*a} + *b);
}

}  // namespace attnlab
