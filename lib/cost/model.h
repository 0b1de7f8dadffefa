// A model as the cost of its layers sees it: kinds of layers, how many of each, the output head.
#ifndef ATTNLAB_COST_MODEL_H_
#define ATTNLAB_COST_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cost/crossover.h"
#include "cost/layer.h"

namespace attnlab {

struct LayerType {
  std::string name;  // full_attention, sliding_attention, mamba, decoder_cross_attention ...
  std::int64_t layers = 1;
  LayerShape shape;
  bool is_tower = false;    // of an image or audio encoder beside the text model: not in its sums
  bool is_encoder = false;  // of an encoder: keeps no cache from step to step
};

struct ModelShape {
  std::vector<LayerType> types;
  std::int64_t width = 0;
  std::int64_t vocabulary = 0;  // of the output head; 0: none is counted

  // The text model's layers, for sums and crossovers.
  std::vector<LayerGroup> groups() const;
  // Multiply-adds of the output head for one token.
  Count output_head_macs() const { return Count(width) * vocabulary; }
};

inline std::vector<LayerGroup> ModelShape::groups() const {
  std::vector<LayerGroup> out;
  for (const LayerType& type : types) {
    if (!type.is_tower) out.push_back({type.layers, type.shape});
  }
  return out;
}

}  // namespace attnlab

#endif  // ATTNLAB_COST_MODEL_H_
