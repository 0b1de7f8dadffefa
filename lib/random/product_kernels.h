// Sums of products of random components, one a lane: the inner loops of q.k, an entry for each
// instruction set. All use the same numbers and differ in rounding only.
#ifndef ATTNLAB_RANDOM_PRODUCT_KERNELS_H_
#define ATTNLAB_RANDOM_PRODUCT_KERNELS_H_

#include <cstdint>

#include "base/watch.h"
#include "machine/isa.h"
#include "random/law.h"
#include "random/philox.h"

namespace attnlab {

// Kernels work on whole vectors: the first sample is a multiple of this, and outputs need room for
// a multiple of it.
inline constexpr std::int64_t kMaxLanes = 16;

struct ProductJob {
  Law law = Law::kNormal;
  double df = 10.0;
  double mean_q = 0.0, mean_k = 0.0;
  bool tied = false;
  std::int64_t d = 1;  // 1 .. 2^32
  Philox::Keys keys{Philox::Key{}};
  std::uint32_t vector = 0;      // the fourth word of the counters (philox-inl.h)
  const Watch* watch = nullptr;  // asked now and then whether to stop
};

struct FillJob {
  Law law = Law::kNormal;
  double df = 10.0;
  Philox::Keys keys{Philox::Key{}};
};
constexpr std::int64_t components_per_block(Law law) { return law == Law::kStudentT ? 2 : 4; }

struct ProductKernels {
  // out[i] = q.k - d mean_q mean_k (tied: q.q - d mean_q^2) of sample first + i, for i < count and
  // on to a multiple of kMaxLanes.
  void (*sum)(const ProductJob& job, std::uint64_t first, std::int64_t count, double* out);

  // scores[j stride + i] = q.k_j for trial first + i, one normal query against `keys` normal keys;
  // i as above. query has room for (d + 3) kMaxLanes floats. Uses vectors 0 (q) and 1 + j (k_j).
  void (*shared_scores)(const ProductJob& job, std::uint64_t first, std::int64_t count,
                        std::int64_t keys, std::int64_t stride, float* query, double* scores);

  // The components of blocks first .. first + count - 1 (components_per_block of each), one after
  // the other, on to a multiple of kMaxLanes blocks.
  void (*fill)(const FillJob& job, std::uint64_t first, std::int64_t count, float* out);
};

// The kernels of an instruction set that simd_isas() lists.
const ProductKernels& product_kernels(Isa isa);

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_PRODUCT_KERNELS_H_
