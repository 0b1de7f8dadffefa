// The keys and values of the tokens so far, and generation token by token: with the cache, where a
// token costs O(n), and without, where everything is computed again and a token costs O(n^2).
#ifndef ATTNLAB_ATTENTION_KV_CACHE_H_
#define ATTNLAB_ATTENTION_KV_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "attention/kernel.h"

namespace attnlab {

class KvCache {
 public:
  // Room for `capacity` tokens: keys [batch, kv_heads, capacity, head_dim], values likewise with
  // head_dim_v; f32, bf16, f16, or int8 with scales. Throws RunError when there is no memory.
  KvCache(std::int64_t batch, std::int64_t kv_heads, std::int64_t capacity, std::int64_t head_dim,
          std::int64_t head_dim_v, Dtype dtype = Dtype::kF32);

  // Bytes that such a cache takes, scales of int8 included.
  static std::int64_t bytes_of(std::int64_t batch, std::int64_t kv_heads, std::int64_t capacity,
                               std::int64_t head_dim, std::int64_t head_dim_v, Dtype dtype);

  // Appends k [batch, kv_heads, n, head_dim] and v [.., n, head_dim_v], f32 or the cache's type,
  // rounded to the cache's type; int8 rows come with their scales. Throws UserError when shapes do
  // not fit or there is no room.
  void append(const ConstView& k, const ConstView& v, const RowScales& k_scales = {},
              const RowScales& v_scales = {});
  void clear() { size_ = 0; }

  std::int64_t size() const { return size_; }
  std::int64_t capacity() const { return k_.shape[2]; }
  std::int64_t bytes() const { return buffer_.bytes(); }
  // The tokens so far: [batch, kv_heads, size, head_dim] and [.., head_dim_v]. Valid until the next
  // append() or clear(), which change what they should show.
  ConstView k() const { return ConstView(k_).rows(0, size_); }
  ConstView v() const { return ConstView(v_).rows(0, size_); }
  // Of int8: [batch, kv_heads, size]; others have none.
  RowScales k_scales() const { return row_scales(k_scales_, k_.shape); }
  RowScales v_scales() const { return row_scales(v_scales_, v_.shape); }

 private:
  AlignedBuffer buffer_;
  View k_, v_;
  float* k_scales_ = nullptr;
  float* v_scales_ = nullptr;
  std::int64_t size_ = 0;
};

// Generates causal attention of given q, k, v token by token, as a model would that sees one after
// the other. The problem is that of all n tokens: nq = nk = n, causal (either alignment), no mask.
class Generation {
 public:
  enum class Cache { kYes, kNo };

  // Why the kernel cannot generate the problem ("" if it can).
  static std::string why_not(const Kernel& kernel, const Problem& problem, Cache cache);
  // What the kernel computes for the token that makes `tokens` of them: its query against all keys
  // so far, or all queries so far.
  static Problem step_problem(const Problem& problem, std::int64_t tokens, Cache cache);
  // Bytes of a workspace that is enough for every step, and of the cache or the recomputed rows.
  static std::int64_t required_bytes(const Kernel& kernel, const Problem& problem, Cache cache,
                                     int threads);

  // Throws UserError when the kernel or the problem does not fit, RunError when there is no memory.
  // kernel computes one token's query against all keys so far (kYes) or all queries so far (kNo).
  Generation(const Kernel& kernel, const Problem& problem, Cache cache, int threads);

  // Computes row size() of operands.o and counts it; with the cache, appends row size() of k and v
  // first. operands are those of all tokens; only rows up to size() are read.
  void step(const Operands& operands, ThreadTeam& team);

  std::int64_t size() const { return size_; }  // tokens so far
  void restart();

  // Bytes that are held: required_bytes().
  std::int64_t workspace_bytes() const;

 private:
  Cache cache_kind() const { return cache_ ? Cache::kYes : Cache::kNo; }

  const Kernel& kernel_;
  Problem problem_;
  int threads_;
  std::optional<KvCache> cache_;
  AlignedBuffer workspace_;
  AlignedBuffer recomputed_;  // all rows so far, without the cache
  std::int64_t size_ = 0;
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_KV_CACHE_H_
