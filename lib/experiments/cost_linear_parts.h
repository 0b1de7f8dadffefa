// The linear work of a layer, ready to be timed: random weights of its projections and feed-forward
// part, and what multiplies rows of tokens by them.
//   projections  x W_Q, x W_K, x W_V (, x W_gate), heads W_O
//   feed-forward gelu(x W_1) W_2; gated: (gelu(x W_1) * x W_3) W_2; of experts the active ones,
//   each
//                on every token, which is the work of as many tokens spread over all experts
#ifndef ATTNLAB_EXPERIMENTS_COST_LINEAR_PARTS_H_
#define ATTNLAB_EXPERIMENTS_COST_LINEAR_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cost/layer.h"
#include "machine/thread_team.h"
#include "tensor/blas.h"
#include "tensor/buffer.h"

namespace attnlab {

class LinearParts {
 public:
  // Why the layer's linear work is not measured; "" if it is.
  static std::string why_not(const LayerShape& shape);
  // Numbers of the weights of one layer.
  static std::int64_t weights(const LayerShape& shape);
  // Bytes that an object takes: weights of `copies` layers, and rows in and out.
  static double bytes(const LayerShape& shape, const Extent& extent, std::int64_t copies);

  // Throws RunError without memory.
  LinearParts(const LayerShape& shape, const Extent& extent, std::int64_t copies);

  // All tokens of the extent, with the weights of the first copy.
  void projections(ThreadTeam& team);
  void feed_forward(ThreadTeam& team);
  // Both for one new token a sequence, with the weights of each copy in turn: as a model goes
  // through its layers, whose weights do not stay in the caches.
  void token(ThreadTeam& team);

  // The first element that is not what plain sums in float64 give, within the rounding of float32,
  // as "x W_Q [3, 5] is 0.25, not 0.5"; "" where none of a sample is.
  std::string mistake(ThreadTeam& team);

 private:
  struct Product {
    const char* name;
    std::int64_t in, out;
    std::int64_t rows;        // of the extent
    std::int64_t token_rows;  // of a step
    std::int64_t offset = 0;  // of its weights
  };
  struct Shapes {
    std::vector<Product> projections, ups, downs;  // of ups and downs one set an active expert
    std::int64_t weights = 0, widest_in = 0, widest_out = 0, rows = 0;
  };
  static Shapes shapes_of(const LayerShape& shape, const Extent& extent);

  const float* weights_of(const Product& product, std::int64_t copy) const {
    return weights_.as<float>() + copy * shapes_.weights + product.offset;
  }
  void apply(const Product& product, std::int64_t rows, std::int64_t copy, const float* from,
             float* to, ThreadTeam& team) const;
  void apply_projections(bool step, std::int64_t copy, ThreadTeam& team) const;
  void apply_feed_forward(bool step, std::int64_t copy, ThreadTeam& team) const;

  Shapes shapes_;
  bool gated_;
  std::int64_t copies_, next_copy_ = 0;
  AlignedBuffer weights_, in_, out_, other_;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_COST_LINEAR_PARTS_H_
