// A mask over scores: which keys a query may see, or what is added to its scores.
// Axes [batch, heads, queries, keys]; an axis with stride 0 shares one mask over its whole length.
#ifndef ATTNLAB_TENSOR_MASK_H_
#define ATTNLAB_TENSOR_MASK_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/view.h"

namespace attnlab {

// kBoolean: bytes, 0 hides the key. kAdditive: float32 added to the scaled score; -inf hides the
// key.
enum class MaskKind { kNone, kBoolean, kAdditive };

struct MaskView {
  MaskKind kind = MaskKind::kNone;
  const void* data = nullptr;
  Index4 stride{};

  // What is added to the score: 0 or -inf for a boolean mask.
  float bias(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
    const std::int64_t at =
        batch * stride[0] + head * stride[1] + query * stride[2] + key * stride[3];
    switch (kind) {
      case MaskKind::kNone:
        return 0;
      case MaskKind::kBoolean:
        return static_cast<const std::uint8_t*>(data)[at] != 0
                   ? 0.0f
                   : -std::numeric_limits<float>::infinity();
      case MaskKind::kAdditive:
        return static_cast<const float*>(data)[at];
    }
    return 0;
  }
  bool hides(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
    return bias(batch, head, query, key) == -std::numeric_limits<float>::infinity();
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_MASK_H_
