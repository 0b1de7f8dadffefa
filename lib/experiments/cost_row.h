// Small things that the cost experiment's rows are written with.
#ifndef ATTNLAB_EXPERIMENTS_COST_ROW_H_
#define ATTNLAB_EXPERIMENTS_COST_ROW_H_

#include <cstdint>
#include <string>

#include "experiments/cost_tables.h"

namespace attnlab {

// The count, or CountTooLarge.
inline std::int64_t exact(const Count& count) {
  if (!count.value()) throw CountTooLarge();
  return *count.value();
}
inline double real(const Count& count) { return static_cast<double>(exact(count)); }

// A row with its model, where the tables have one, and its kind of layer.
inline Table::RowWriter row_of(const CostSubject& subject, const std::string& layer_type,
                               Table& table) {
  Table::RowWriter row = table.add_row();
  if (!subject.name.empty()) row.set("model", subject.name);
  if (table.index_of("layer_type") >= 0) row.set("layer_type", layer_type);
  return row;
}

// Layers of the text model.
inline std::int64_t layers_of(const CostSubject& subject) {
  std::int64_t out = 0;
  for (const LayerType& type : subject.shape.types) {
    // A cross-attention with no feed-forward part of its own lies within another's layers.
    const FeedForwardShape& ffn = type.shape.ffn;
    const bool lies_within = type.shape.is_cross && ffn.dense == 0 && ffn.experts == 0;
    if (!type.is_tower && !lies_within) out += type.layers;
  }
  return out;
}

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_COST_ROW_H_
