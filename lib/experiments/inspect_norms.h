// Norms of the rows of q, k and v, and where a NaN or Inf is among them.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_NORMS_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_NORMS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/watch.h"

namespace attnlab {

// NaN and Inf of one head of a tensor, and the norms of its rows.
struct HeadNorms {
  std::int64_t nonfinite = 0;
  std::int64_t first_row = -1, first_component = -1;
  double sum = 0, smallest = std::numeric_limits<double>::infinity(), largest = 0;
  std::int64_t rows = 0;

  template <class T>
  HeadNorms(const T* numbers, std::int64_t length, std::int64_t size, const Watch& watch) {
    constexpr std::int64_t kRowsBetweenLooks = 1 << 14;
    for (std::int64_t row = 0; row < length; ++row) {
      if (row % kRowsBetweenLooks == 0 && watch.stopped()) return;
      double square = 0;
      for (std::int64_t c = 0; c < size; ++c) {
        const double x = static_cast<double>(numbers[row * size + c]);
        square += x * x;
        if (std::isfinite(x)) continue;
        if (nonfinite++ == 0) {
          first_row = row;
          first_component = c;
        }
      }
      const double norm = std::sqrt(square);
      if (!std::isfinite(norm)) continue;
      ++rows;
      sum += norm;
      smallest = std::min(smallest, norm);
      largest = std::max(largest, norm);
    }
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_NORMS_H_
