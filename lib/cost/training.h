// What the forward pass of a training step keeps for the backward pass, per layer, in numbers.
// Counted for a pre-norm layer: the inputs and outputs of both norms, Q, K, V (and the compressed
// vectors of latent attention), attention's output, and of the feed-forward layer its inner
// activations before and after the nonlinearity (gated: gate, up and their product).
// Attention itself keeps either the weights of all nq x nk scores (three-step) or one log-sum-exp a
// row, always in float32 (fused: Dao et al., FlashAttention, 2022, section 3.1).
// With gradient checkpointing (Chen et al., 2016) a layer keeps its input alone, and one layer's
// activations exist at a time while they are computed again.
// Not counted: dropout masks, norm statistics, embeddings, logits, parameters, optimizer state.
#ifndef ATTNLAB_COST_TRAINING_H_
#define ATTNLAB_COST_TRAINING_H_

#include <cstdint>

#include "cost/layer.h"

namespace attnlab {

enum class AttentionStorage { kThreeStep, kFused };

// Bytes, the whole batch, one layer at nq = nk = n.
struct TrainingCost {
  Count activation_bytes;  // without what attention keeps of its scores
  Count score_bytes;       // the weights (three-step) or the log-sum-exp (fused)
  Count input_bytes;       // the layer's input: what checkpointing keeps
  Count all() const { return activation_bytes + score_bytes; }
};
TrainingCost training_cost(const LayerShape& shape, std::int64_t n, AttentionStorage attention,
                           StorageType type);

}  // namespace attnlab

#endif  // ATTNLAB_COST_TRAINING_H_
