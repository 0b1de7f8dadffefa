#include "cost/training.h"

namespace attnlab {

TrainingCost training_cost(const LayerShape& s, std::int64_t n, AttentionStorage attention,
                           StorageType type) {
  const Count size = bytes_of(type), tokens = Count(s.batch) * n;
  Count a_token = 0;
  TrainingCost cost;
  if (s.has_attention) {
    const Count heads = s.heads, kv_heads = s.latent ? s.heads : s.kv_heads;
    a_token = Count(s.width) * 2 + heads * s.head_dim + heads * s.head_dim_v;
    if (!s.shares_keys) a_token = a_token + kv_heads * (Count(s.head_dim) + s.head_dim_v);
    if (s.latent) a_token = a_token + s.latent->kv_rank;
    a_token = a_token + s.query_rank + Count(s.output_rank) * s.output_groups + s.gate;
    const Count rows = tokens * s.heads;
    cost.score_bytes = attention == AttentionStorage::kThreeStep
                           ? rows * n * size
                           : rows * bytes_of(StorageType::kF32);
  }
  const FeedForwardShape& f = s.ffn;
  if (f.dense > 0 || f.experts > 0) {
    const Count inner = Count(f.dense) + Count(f.expert) * f.active_experts;
    a_token = a_token + Count(s.width) * 2 + inner * (f.gated ? 3 : 2);
  }
  cost.activation_bytes = tokens * a_token * size;
  cost.input_bytes = tokens * s.width * size;
  return cost;
}

}  // namespace attnlab
