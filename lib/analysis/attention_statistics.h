// What the softmax of an attention problem makes of its rows: entropy, largest weight, gradient
// scale and more for every query, without keeping the n x n weights.
//   logit(i, j) = scale q_i . k_j + mask(i, j);   x = logit / temperature;   p_i = softmax(x_i)
// q [B, Hq, Nq, D]   k [B, Hkv, Nk, D]; v and o are not looked at. Operators: dense and window.
//
// streamed_statistics: float32 on tiles, O(n) memory, at most two passes over the keys, half types
// are widened as they are read. Summation over the keys in float64 from block to block.
// plain_statistics: float64 with whole rows, as the definitions read: the truth for the other, and
// what small problems are computed with. Reads f64 too.
#ifndef ATTNLAB_ANALYSIS_ATTENTION_STATISTICS_H_
#define ATTNLAB_ANALYSIS_ATTENTION_STATISTICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "attention/operands.h"
#include "base/watch.h"
#include "machine/isa.h"
#include "machine/thread_team.h"

namespace attnlab {

struct AttentionRow {
  std::int64_t visible = 0;  // keys that the query sees, those with a logit of -inf left out
  double largest = 0;        // logits
  double smallest = 0;
  double unscaled = 0;        // largest |q.k| over these keys
  double denominator = 0;     // sum of exp(x - largest x)
  double entropy = 0;         // bits
  double max_weight = 0;      // 1 / denominator
  double gradient_scale = 0;  // max p (1 - p), 1 - p summed from the other weights
  double first_weight = 0;    // on key 0; NaN when that is not seen

  bool is_masked() const { return visible == 0; }
  // A NaN or Inf in operands, or a logit beyond the range of the arithmetic, spoils the row: all
  // its numbers are NaN.
  bool is_finite() const { return entropy == entropy; }
};

// Weights below this are exact zeros in float32; as a power of two.
inline constexpr double kZeroWeightExponent = -149;

struct StatisticsRequest {
  bool columns = false;        // how much weight every key gets
  std::int64_t map_cells = 0;  // cells a side of a map of the weights; 0: none
};

// The cells of a map of `cells` a side over a length: cell c covers [c size, (c + 1) size).
constexpr std::int64_t map_cell_size(std::int64_t length, std::int64_t cells) {
  return (length + cells - 1) / cells;
}
constexpr std::int64_t map_cell_count(std::int64_t length, std::int64_t cells) {
  const std::int64_t size = map_cell_size(length, cells);
  return (length + size - 1) / size;
}

struct AttentionStatistics {
  std::vector<AttentionRow> rows;   // [B Hq Nq]
  std::vector<std::int64_t> zeros;  // [B Hq] visible keys, over all rows, with a weight of zero
  // [B Hq Nk], where asked for: sum of a key's weights over the finite rows that see it, and how
  // many rows those are.
  std::vector<double> column_weights, column_queries;
  // [B Hq, row cells, column cells], where asked for: the sum over a cell's keys of the weight,
  // summed over its finite rows that see any key.
  std::vector<double> map;
};

// The watch may stop the work; what is returned is then meaningless. Same bits for any team.
AttentionStatistics streamed_statistics(const Problem& problem, Operator op,
                                        const Operands& operands, const StatisticsRequest& request,
                                        ThreadTeam& team, Watch& watch,
                                        Isa isa = simd_isas().back());
AttentionStatistics plain_statistics(const Problem& problem, Operator op, const Operands& operands,
                                     const StatisticsRequest& request, ThreadTeam& team,
                                     Watch& watch);

// Bytes that either needs beside the operands, at most.
double statistics_bytes(const Problem& problem, const StatisticsRequest& request, int threads);

// The weights of one row in float64: weights [Nk], 0 for hidden keys. False when the row has no
// finite weights (they are NaN) or sees no key (they are 0).
bool attention_weights(const Problem& problem, Operator op, const Operands& operands,
                       std::int64_t batch, std::int64_t head, std::int64_t query,
                       std::span<double> weights);

}  // namespace attnlab

#endif  // ATTNLAB_ANALYSIS_ATTENTION_STATISTICS_H_
