// The engine of the linear kernels: keys and queries as positive features, and the sums over keys
// that stand in for all of them.
//   linear     phi(x) = elu(x) + 1
//   performer  phi(y)_f = exp(u_f . y - (|y|^2 / 2 - h) - m_f), phi(x)_f = exp(u_f . x + m_f -
//              m(x)): m_f is the largest exponent of feature f over the keys so far, m(x) the
//              largest of a query, h the |y|^2 / 2 of the first key. They cancel; no exponent is
//              above 0 nor every one far below it, and rounding sees differences, not large
//              numbers.
// o_i = sum_f phi(q_i)_f S_f / sum_f phi(q_i)_f z_f,  S_f = sum_j phi(k_j)_f v_j,  z_f = sum_j
// phi(k_j)_f. z stands as channel Dv of S: a value row of 1.
#ifndef ATTNLAB_ATTENTION_SIMD_FEATURES_H_
#define ATTNLAB_ATTENTION_SIMD_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/isa.h"
#include "tensor/buffer.h"
#include "tensor/dtype.h"

namespace attnlab {

inline constexpr std::int64_t kFeatureBlock = 64;  // keys or queries taken at a time

constexpr std::int64_t whole_vectors(std::int64_t n) { return (n + 15) / 16 * 16; }

struct FeatureJob {
  std::int64_t d, dv;
  std::int64_t features;
  Dtype dtype;
  bool performer;
  float query_factor, key_factor;  // rows of q and k are multiplied by these first
  const float* directions;         // performer: u transposed, [d][feature_stride()]

  std::int64_t feature_stride() const { return whole_vectors(features); }
  std::int64_t value_stride() const { return whole_vectors(dv + 1); }
};

// The sums over some keys.
struct FeatureState {
  float* sums;  // S [features][value_stride()]
  float* logs;  // m [feature_stride()]; -inf at first and beyond the features
  struct Offset {
    double half_square;  // h
    bool known;          // false as long as there is no key
  };
  Offset* offset;  // of performer

  static FeatureState carve(const FeatureJob& job, Carver& carver) {
    return {carver.take<float>(job.features * job.value_stride()),
            carver.take<float>(job.performer ? job.feature_stride() : 0),
            carver.take<Offset>(job.performer ? 1 : 0)};
  }
};

// Rows of keys and values; mask: one byte a key, 0 hides it, or null.
struct FeatureKeys {
  const std::byte* k;
  const std::byte* v;
  std::int64_t k_stride, v_stride, count;
  const std::uint8_t* mask = nullptr;
  std::int64_t mask_stride = 0;
};

struct FeatureQueries {
  const std::byte* q;
  float* o;
  std::int64_t q_stride, o_stride, count;
};

struct FeatureEngine {
  Isa isa;
  // The state of no keys.
  void (*clear)(const FeatureJob& job, const FeatureState& state);
  // Adds the keys to the state. scratch: feature_scratch_bytes(job, 0).
  void (*add_keys)(const FeatureJob& job, const FeatureKeys& keys, const FeatureState& state,
                   std::byte* scratch);
  // later becomes the state of the keys of both; earlier's come first in every sum.
  void (*merge)(const FeatureJob& job, const FeatureState& earlier, const FeatureState& later);
  // Output rows of queries that see all keys of the state; zeros when there are none. scratch:
  // feature_scratch_bytes(job, 1).
  void (*read)(const FeatureJob& job, const FeatureState& state, const FeatureQueries& queries,
               std::byte* scratch);
  // Keys one after the other; behind each, the output of the query that stands at it, for each of
  // the heads that share the keys. heads[h] are the queries at the keys from first_query on, for as
  // many as it has. scratch: feature_scratch_bytes(job, heads.size()).
  void (*add_keys_and_read)(const FeatureJob& job, const FeatureKeys& keys,
                            const FeatureState& state, std::int64_t first_query,
                            std::span<const FeatureQueries> heads, std::byte* scratch);
};

// One entry for each target of this build, best last.
std::span<const FeatureEngine> feature_engines();

std::int64_t feature_scratch_bytes(const FeatureJob& job, std::int64_t heads);

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_SIMD_FEATURES_H_
