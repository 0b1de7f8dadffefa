// A count that knows when it has become too large for 64 bits, so that a formula can be written
// plainly and asked once at its end.
#ifndef ATTNLAB_COST_COUNT_H_
#define ATTNLAB_COST_COUNT_H_

#include <cstdint>
#include <optional>

namespace attnlab {

class Count {
 public:
  Count() = default;
  Count(std::int64_t value) : value_(value) {}  // NOLINT: a number is a count

  static Count of(__int128 value) {
    Count out;
    out.overflowed_ = __builtin_add_overflow(value, __int128{0}, &out.value_);
    return out;
  }

  // No value after an overflow anywhere in its making.
  std::optional<std::int64_t> value() const {
    return overflowed_ ? std::nullopt : std::optional(value_);
  }

  friend Count operator+(Count a, Count b) {
    Count out;
    out.overflowed_ =
        __builtin_add_overflow(a.value_, b.value_, &out.value_) || a.overflowed_ || b.overflowed_;
    return out;
  }
  friend Count operator-(Count a, Count b) {
    Count out;
    out.overflowed_ =
        __builtin_sub_overflow(a.value_, b.value_, &out.value_) || a.overflowed_ || b.overflowed_;
    return out;
  }
  friend Count operator*(Count a, Count b) {
    Count out;
    out.overflowed_ =
        __builtin_mul_overflow(a.value_, b.value_, &out.value_) || a.overflowed_ || b.overflowed_;
    return out;
  }

 private:
  std::int64_t value_ = 0;
  bool overflowed_ = false;
};

}  // namespace attnlab

#endif  // ATTNLAB_COST_COUNT_H_
